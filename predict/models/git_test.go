package models_test

import "testing"

func TestGit(t *testing.T) {
	check(t, `
git status =>
git status -sb --porcelain=v2 =>
git -C sub status => chdir=sub
git -c core.pager=less log -5 =>
git log --oneline --graph --all -n 20 =>
git log -p -S needle --output=o.txt -- a.go => write=o.txt
git log -C -p HEAD~3 =>
git show HEAD:a.go =>
git diff HEAD~1 -- a.go =>
git diff --no-index a b => read=a; read=b
git diff --ext-diff => unknown process,file,network
git diff --stat --output o => write=o
git blame -C -L 1,5 a.go =>
git rev-parse --abbrev-ref HEAD =>
git ls-files -o --exclude-standard =>
git branch =>
git branch -a --list x =>
git branch -vv --contains HEAD =>
git branch topic => write-tree .git
git branch -d topic => write-tree .git
git branch -m old new => write-tree .git
git tag =>
git tag -l v1.* =>
git tag -a v1 -m one => write-tree .git
git tag -d v1 => write-tree .git
git remote -v =>
git remote add origin ../o.git => write-tree .git
git remote show origin => fetch @remote
git remote get-url origin =>
git stash => write-tree .; write-tree .git
git stash list =>
git stash show -p =>
git stash pop => write-tree .; write-tree .git
git stash drop => write-tree .git
git add -A => write-tree .git
git add a.go b.go => read-tree=a.go; read-tree=b.go; write-tree .git
git add -n a.go => read-tree=a.go; write-tree .git; drop file.write
git commit -m message => write-tree .git
git commit -am message -F note => write-tree .git; read=note
git commit -C HEAD -c HEAD~1 --amend --no-verify => write-tree .git
git -C d commit -C HEAD => chdir=d; write-tree .git
git commit --dry-run => write-tree .git; drop file.write
git checkout -b topic => write-tree .; write-tree .git
git switch -c topic => write-tree .; write-tree .git
git restore a.go => write-tree=a.go
git restore --staged a.go => write-tree .git
git reset HEAD a.go => write-tree .git
git reset --hard HEAD~1 => write-tree .; write-tree .git
git clean -fdx => delete-tree .
git clean -n => delete-tree .; drop file.delete
git rm -r old => delete-tree=old; write-tree .git
git rm --cached a => write-tree .git
git mv a b => move=a; write=b; write-tree .git
git clone https://h.example/o/r.git => from=https://h.example/o/r.git; write-tree {1.repo}
git clone --depth 1 -b main git@h.example:o/r.git here => from=git@h.example:o/r.git; write-tree=here
git clone -u evil ssh://h/x d => from=ssh://h/x; write-tree=d; unknown process,file,network
git clone -c core.fsmonitor=x ../r d => from=../r; write-tree=d; unknown process,file,network
git clone ext::sh d => from=ext::sh; write-tree=d; unknown process,file,network
git fetch => fetch @remote; write-tree .git
git fetch --upload-pack=x origin => fetch @remote; write-tree .git; unknown process,file,network
git pull --rebase => fetch @remote; write-tree .; write-tree .git
git push origin main => send @remote; write-tree .git/refs
git push -u origin HEAD --force-with-lease => send @remote; write-tree .git/refs
git push -n => send @remote; write-tree .git/refs; drop file.write
git ls-remote => fetch @remote
git ls-remote https://h.example/r => from=https://h.example/r
git merge --no-ff topic => write-tree .; write-tree .git
git rebase --exec make main => write-tree .; write-tree .git; shell=make
git rebase -i --onto a b c => write-tree .; write-tree .git
git bisect run make test => command=make; write-tree .; write-tree .git
git submodule foreach --recursive git pull => command=git
git submodule update --init --recursive => fetch @remote; write-tree .; write-tree .git
git submodule status =>
git filter-branch --tree-filter script HEAD => shell=script; write-tree .; write-tree .git
git difftool -x meld => shell=meld
git difftool => unknown process,file,network
git grep -n -e a b =>
git grep -Oless a => exec=less; unknown any
git archive -o o.tar HEAD => write=o.tar
git archive --remote=ssh://h/r --exec=x HEAD => from=ssh://h/r; unknown process,file,network
git format-patch -1 HEAD => write-tree .
git format-patch -o out HEAD~2 => write-tree=out
git format-patch --stdout HEAD~2 => write-tree .; drop file.write
git apply fix.patch => read=fix.patch; write-tree .
git apply --check fix.patch => read=fix.patch; write-tree .; drop file.write
git am < x => read=<; read=x; write-tree .; write-tree .git
git worktree add -b t ../t main => write-tree=../t; write-tree .git
git worktree list =>
git config --get user.name =>
git config user.name =>
git config user.name me => write .git/config
git config --global user.name me => write $HOME/.gitconfig
git config --system core.x y => write /etc/gitconfig
git config -f x a.b c => write {-f}
git config --unset a.b => write .git/config
git config --global --unset a.b => write $HOME/.gitconfig
git config --list =>
git config set a.b c => write .git/config
git config set --global a.b c => write $HOME/.gitconfig
git config list --global =>
git init => write-tree ./.git
git init --bare r.git => write-tree=r.git
git init --template=t => write-tree ./.git; unknown process,file,network
git lfs install => write $HOME/.gitconfig; write-tree .git/hooks
git lfs pull => fetch @remote; write-tree .git/lfs; write-tree .
git describe --tags --dirty =>
git reflog =>
git reflog expire --all => write-tree .git/logs
git gc => write-tree .git; delete-tree .git/objects
git hash-object -w a => read=a; write-tree .git
git symbolic-ref HEAD =>
git symbolic-ref HEAD refs/heads/x => write-tree .git
git --exec-path=/x status => unknown process,file,network
git --version => nothing
git -c alias.x=!ls x => missing
git nosuch => missing
git submodule add ../lib => from=../lib; write-tree {1.repo}; write .gitmodules; write-tree .git
git bundle create b.pack HEAD => write=b.pack
git show-ref --tags =>
git cat-file -p HEAD =>
git send-email --to a@b.example x.patch => read=x.patch; send *
git notes add -m n => write-tree .git
git cherry-pick -x abc => write-tree .; write-tree .git
git verify-commit HEAD => exec gpg
`)
}

func TestNodePackageManagers(t *testing.T) {
	check(t, `
npm install => registry @npm; write-tree {--prefix:-.}/node_modules; write {--prefix:-.}/package-lock.json
npm i -D left-pad => registry @npm; write-tree {--prefix:-.}/node_modules; write {--prefix:-.}/package-lock.json; write {--prefix:-.}/package.json
npm install --no-save x => registry @npm; write-tree {--prefix:-.}/node_modules; write {--prefix:-.}/package-lock.json
npm install -g x => registry @npm; write-tree {--prefix:-/usr/local}/lib/node_modules; write-tree {--prefix:-/usr/local}/bin
npm --offline ci => registry @npm; delete-tree {--prefix:-.}/node_modules; write-tree {--prefix:-.}/node_modules; drop network
npm run build -- --watch =>
npm run build --workspace=a =>
npm test =>
npm exec -- tsc --noEmit =>
npm x -c tsc =>
npm ls --all --depth 3 =>
npm view react version => registry @npm
npm outdated => registry @npm
npm audit => send @npm
npm audit fix => send @npm; registry @npm; write-tree {--prefix:-.}/node_modules; write {--prefix:-.}/package-lock.json
npm publish --access public => send @npm
npm publish --dry-run => send @npm; drop file.write,file.delete,network.send
npm config get registry =>
npm config set registry x => write {--userconfig:-$HOME/.npmrc}
npm config set --location=project a b => write .npmrc
npm config set -g a b => write {--globalconfig:-/usr/local/etc/npmrc}
npm login => send @npm; write {--userconfig:-$HOME/.npmrc}
npm version =>
npm version patch => write package.json; write package-lock.json; exec git; write-tree .git
npm version patch --no-git-tag-version => write package.json; write package-lock.json
npm init -y => write package.json
npm init vite@latest app => registry @npm
npm pack --pack-destination out => write-tree {--pack-destination:-.}
npm cache clean --force => delete-tree {--cache:-$HOME/.npm}
npm pkg set a=b => write package.json
npm pkg get a =>
npm uninstall x => delete-tree {--prefix:-.}/node_modules; write {--prefix:-.}/package-lock.json; write {--prefix:-.}/package.json
npm --help => nothing
npm frobnicate => missing
npm --script-shell /bin/evil run x => exec=/bin/evil
npx tsc --noEmit -p . =>
npx -y -p typescript tsc -v =>
npx -c ls => 
npx --version => nothing
pnpm i => registry @npm; write-tree {-C:-.}/node_modules; write {-C:-.}/pnpm-lock.yaml
pnpm install --frozen-lockfile --ignore-scripts => registry @npm; write-tree {-C:-.}/node_modules
pnpm -r --filter=./a run build -w =>
pnpm build --watch =>
pnpm -C sub add -D x => registry @npm; write-tree {-C:-.}/node_modules; write {-C:-.}/package.json; write {-C:-.}/pnpm-lock.yaml
pnpm dlx create-x => registry @npm
pnpm exec tsc -h =>
pnpm store prune => delete-tree {--store-dir:-$XDG_DATA_HOME/pnpm/store}
pnpm config set a b => write $XDG_CONFIG_HOME/pnpm/rc
pnpm publish -r => send @npm
pnpm why x =>
yarn install --immutable => registry @npm; write-tree {--cwd:-.}/node_modules
yarn build -h =>
yarn --cwd sub run build -v =>
yarn add -D x => registry @npm; write-tree {--cwd:-.}/node_modules; write {--cwd:-.}/package.json; write {--cwd:-.}/yarn.lock
yarn workspace a build =>
yarn npm publish => send @npm
yarn config get x =>
yarn cache clean => delete-tree $XDG_CACHE_HOME/yarn
yarn -v => nothing
bun install => registry @npm; write-tree {--cwd:-.}/node_modules; write {--cwd:-.}/bun.lock
bun add -g x => registry @npm; write-tree $HOME/.bun
bun run --env-file=.env.x dev => env-file=.env.x
bun -e code => code bun=code
bun build a.ts --outdir out => read=a.ts; write-tree=out
bun test => unknown process,file,environment,network
bun index.ts --port 1 =>
bunx -p a b -c =>
bun pm ls =>
bun exec ls => shell=ls
corepack enable => write-tree /usr/local/bin
corepack yarn install => command=yarn
nvm install 20 => fetch @node; write-tree $HOME/.nvm
volta run npm test => command=npm
ncu -u => registry @npm; script node .ncurc.*; write package.json
`)
}
