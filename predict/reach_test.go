package predict_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/action"
	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict"
)

// reachHome is a home folder with the file that everything below tries to change, and a workspace beside it.
func reachHome(t *testing.T) (home, dir string) {
	t.Helper()
	home = tree(t, map[string]string{
		".claude/settings.json": "{}", ".claude/settings.json.gz": "", ".claude/sub/keep": "", "evil.json": "{}",
		"w/a.json": "{}", "w/evil/settings.json": "{}", "w/list": "../.claude/settings.json\n", "w/p.patch": "", "w/x.tar": "", "w/.git/HEAD": "ref: refs/heads/main\n", "w/.git/config": "",
		"w/run.sh*":                "#!/bin/sh\necho > ~/.claude/settings.json\n",
		"w/arg.sh*":                "#!/bin/sh\necho > \"$1/settings.json\"\n",
		"w/run.py":                 "import os\nopen(os.path.expanduser('~/.claude/settings.json'), 'w')\n",
		"w/run.js":                 "const fs = require('fs'), os = require('os'), path = require('path')\nfs.writeFileSync(path.join(os.homedir(), '.claude', 'settings.json'), '')\n",
		"w/Makefile":               "all:\n\ttouch $(HOME)/.claude/settings.json\n",
		"w/package.json":           `{"name": "x", "scripts": {"build": "tee ../.claude/settings.json"}}`,
		"w/compose.yaml":           "services:\n  a:\n    image: alpine\n    volumes: [\"~/.claude:/c\"]\n",
		"w/.git/objects/info/keep": "", "w/.git/refs/heads/keep": "",
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "", ".git/objects/info/keep": "", ".git/refs/heads/keep": "", "g/sub/deep/keep": "",
		"w/pyproject.cfg": "",
	})
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(home, "w")
	for name, to := range map[string]string{"filelink": "../.claude/settings.json", "dirlink": "../.claude", "abslink": home + "/.claude", "up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return home, dir
}

func reachPlan(t *testing.T, home, dir, command string) *predict.Prediction {
	t.Helper()
	a, err := action.NewShell("test", "", dir, command)
	if err != nil {
		t.Fatal(err)
	}
	p, err := predict.Predict(context.Background(), a, predict.Options{Env: []string{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin", "USER=user"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reaches tells whether a plan says that a file is changed or deleted, by name or below a folder. A folder that is deleted takes
// what is below it along.
func reaches(p *predict.Prediction, file effect.Resource) bool {
	return slices.ContainsFunc(append(slices.Clone(p.Effects), p.Delegated...), func(e effect.Effect) bool {
		return e.Class == effect.File && e.Access != effect.Read && (e.On.Covers(file) || e.Access == effect.Delete && effect.Below(e.On.Resource).Covers(file))
	})
}

func couldWrite(p *predict.Prediction) bool {
	return slices.ContainsFunc(p.Unknowns, func(u predict.Unknown) bool {
		return slices.Contains(u.Could, effect.File) || slices.Contains(u.Could, effect.Container)
	})
}

// TestSafetyReachesFile: whatever way a command takes to a file, by another name or another program, its plan says that the file
// is changed. @H is the home folder and S the file.
func TestSafetyReachesFile(t *testing.T) {
	home, dir := reachHome(t)
	file, err := effect.FilePath(home + "/.claude/settings.json")
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("@H", home, "S!", "~/.claude/settings.json")
	for _, c := range strings.Split(strings.TrimSpace(reachKnown+reachEvaluated), "\n") {
		if p := reachPlan(t, home, dir, fill.Replace(c)); !reaches(p, file) {
			t.Errorf("%s: the plan does not say that the file is changed (unknowns: %d): %v", c, len(p.Unknowns), p.Effects)
		}
	}
	for _, c := range strings.Split(strings.TrimSpace(reachUnknown+reachFed), "\n") {
		if p := reachPlan(t, home, dir, fill.Replace(c)); !reaches(p, file) && !couldWrite(p) {
			t.Errorf("%s: neither the file nor an unknown that could change it: %v", c, p.Effects)
		}
	}
	for _, c := range strings.Split(strings.TrimSpace(reachNot), "\n") {
		if p := reachPlan(t, home, dir, fill.Replace(c)); reaches(p, file) || couldWrite(p) {
			t.Errorf("%s: it does not change the file: %v, %v", c, p.Effects, p.Unknowns)
		}
	}
	if n := strings.Count(reachKnown, "\n") + strings.Count(reachUnknown, "\n"); n < 400 {
		t.Errorf("%d rows", n)
	}
}

const reachKnown = `
echo {} > S!
echo {} >> S!
echo {} >| S!
echo {} &> S!
echo {} >& S!
ls 2> S!
cat <> S!
: > S!
> S!
exec > S!
exec 3> S!; echo {} >&3
exec {fd}> S!; echo {} >&$fd
exec 3< S!; echo > /proc/self/fd/3
exec 3< S!; tee /dev/fd/3
exec 3< S!; exec 4<&3; echo > /dev/fd/4
tee /dev/stdin < S!
{ echo > /dev/stdin; } < S!
dd of=/dev/fd/0 < S!
cd /dev/fd; exec 5< S!; echo > 5
bash -c 'echo > /dev/fd/3' 3< S!
echo > /proc/1/cwd/.claude/settings.json
echo > $HOME/.claude/settings.json
echo > "${HOME}/.claude/settings.json"
echo > "$HOME"/.claude/'settings.json'
echo > ~/".claude"/settings.json
echo > @H/.claude/settings.json
echo > ../.claude/settings.json
echo > evil/../../.claude/settings.json
echo > ~/.claude/./settings.json
echo > ~//.claude///settings.json
echo > ~/.claude/sub/../settings.json
echo > ~/w/../.claude/settings.json
echo > /proc/self/cwd/../.claude/settings.json
echo > /proc/self/root@H/.claude/settings.json
echo > /proc/$$/root@H/.claude/settings.json
echo > /proc/1/root@H/.claude/settings.json
echo > /proc/thread-self/cwd/../.claude/settings.json
echo > /proc/self/task/1/root@H/.claude/settings.json
cd $X; echo > ../.claude/settings.json
echo > ./$X/../../.claude/settings.json
d=$(basename $X); cd $d; tee ../../.claude/settings.json
ln -s $(cat list) c; echo > c
ln -s ~/.claude ./$X; echo > ./$X/settings.json
if [ -f x ]; then ln -s ~/.claude c; else ln -s evil c; fi; echo > c/settings.json
for i in 1 2; do ln -sf ~/w/evil$i c; done; ln -sfn ~/.claude c; echo > c/settings.json
echo > ~/.cl*/sett*
echo > ~/.claud[e]/settings.jso?
tee ~/.cl*/sett*.json
tee ~/.claude/{settings,other}.json
tee ~/.{claude,x}/settings.json
touch ~/.claude/set{s..u}ings.json
echo > filelink
echo > dirlink/settings.json
echo > abslink/settings.json
echo > up/.claude/settings.json
tee filelink
cp a.json filelink
sed -i s/a/b/ filelink
cd ~/.claude && echo > settings.json
cd; cd .claude; > settings.json
cd .. && cd .claude && tee settings.json
(cd ~/.claude; tee settings.json)
pushd ~/.claude; echo > settings.json
cd dirlink && echo > settings.json
cd -P dirlink && echo > settings.json
CDPATH=@H cd .claude && echo > settings.json
export CDPATH=~; cd .claude && echo > settings.json
env -C ~/.claude tee settings.json
d=~/.claude; echo > $d/settings.json
f=settings; echo > ~/.claude/$f.json
a=(~/.claude/settings.json); echo > ${a[0]}
f() { echo > "$1"; }; f S!
for f in ~/.claude/*.json; do echo > $f; done
while read f; do echo > $f; done <<< @H/.claude/settings.json
eval "echo > S!"
trap 'echo > S!' EXIT
bash -c 'echo > S!'
bash -c 'echo > "$0"' S!
sh -c 'cat > "$1"' _ S!
bash <<< 'echo > S!'
echo 'echo > S!' | sh
printf 'echo > %s' S! | bash
sh run.sh
./run.sh
. ./run.sh
bash arg.sh ~/.claude
sudo tee S!
sudo -u user sh -c 'tee S!'
doas tee S!
nice -n 5 tee S!
nohup tee S!
timeout 5 tee S!
stdbuf -o0 tee S!
setsid tee S!
time tee S!
env A=1 tee S!
command tee S!
builtin eval 'echo > S!'
exec tee S!
busybox tee S!
busybox sh -c 'echo > S!'
flock /tmp/l tee S!
watch -n1 tee S!
chroot / tee @H/.claude/settings.json
chroot ~ tee /.claude/settings.json
chroot ~ sh -c 'cd .claude; tee settings.json'
chroot ~/w/.. /bin/sh -c 'echo > /.claude/settings.json'
unshare -R ~ tee /.claude/settings.json
unshare -m tee S!
strace -o S! ls
script -c ls S!
tee S! < a.json
cat a.json | tee -a S! > /dev/null
cat a.json | sponge S!
jq . a.json | sponge S!
cp a.json S!
cp -f a.json ~/.claude/settings.json
cp evil/settings.json ~/.claude/
cp evil/settings.json ~/.claude
cp -r evil/. ~/.claude
cp -r evil/* ~/.claude/
cp -r made/* ~/.claude/
cp made/*.json ~/.claude
cp -t ~/.claude evil/settings.json
cp --target-directory=@H/.claude evil/settings.json
cp -rT evil ~/.claude
mv a.json S!
mv evil/settings.json ~/.claude/
mv -t ~/.claude evil/settings.json
mv S! x
mv ~/.claude ~/.old
mv ~/.claude x && mv evil ~/.claude
mv -T evil ~/.claude
install a.json S!
install -m 600 evil/settings.json ~/.claude
install -t ~/.claude evil/settings.json
rsync -a evil/ ~/.claude/
rsync a.json S!
rm S!
rm -rf ~/.claude
rm -r ~/.cl*
unlink S!
shred -u S!
truncate -s 0 S!
fallocate -l 1 S!
dd if=a.json of=@H/.claude/settings.json
touch S!
chmod 666 S!
chmod -R 777 ~/.claude
chown user S!
setfacl -m u:user:rw S!
chattr -i S!
ln -f a.json S!
ln -sf ~/evil.json S!
ln S! x
ln S! x; echo {} > x
ln -f S! x && tee x
ln -t . S!
link S! x
cp -l S! x
cp -al ~/.claude c
cp --link S! x; tee x
ln -s ~/.claude .c && echo > .c/settings.json
ln -s ../.claude .c; cd .c; echo > settings.json
ln -sT @H/.claude c && tee c/settings.json
ln -s S! x; echo > x
ln -s ~/.claude/ . ; echo > .claude/settings.json
ln -s ~/.claude/settings.json; tee settings.json
ln -sr ~/.claude c; rm -rf c/
d=$(mktemp -d); ln -s ~/.claude $d/c; echo > $d/c/settings.json
cp -s S! x; echo > x
cp -P filelink x; echo > x
cp -a dirlink x; echo > x/settings.json
mv dirlink x; echo > x/settings.json
ln -s . q; ln -s q/../.claude r; echo > r/settings.json
mkdir m; mount --bind ~/.claude m; echo > m/settings.json
mount -o bind ~/.claude /mnt; tee /mnt/settings.json
mount --rbind / /mnt; tee /mnt@H/.claude/settings.json
bindfs ~/.claude m; echo > m/settings.json
bwrap --bind ~/.claude /c tee /c/settings.json
bwrap --dev-bind / / tee S!
sed -i s/a/b/ S!
sed --in-place=.bak s/a/b/ S!
sed -n 'w @H/.claude/settings.json' a.json
perl -pi -e 's/a/b/' S!
ruby -pi -e 'gsub(/a/, "b")' S!
awk -i inplace '{print}' S!
gawk '{print > "@H/.claude/settings.json"}' a.json
awk '{print | "tee @H/.claude/settings.json"}' a.json
ed -s S! <<< w
ex -sc wq S!
vim -c wq S!
vim -es +wq S!
nvim --headless S! +wq
nano S!
emacs --batch S! -f save-buffer
sort -o S! a.json
uniq a.json S!
shuf -o S! a.json
split -b 10 a.json S!
xxd -r a.json S!
base64 -d a.json > S!
uudecode -o S! a.json
openssl enc -in a.json -out S!
gpg -o S! -d a.json
gzip -d S!.gz
gunzip S!.gz
gunzip -c x.gz > S!
zstd -d x.zst -o S!
tar -C ~/.claude -xf x.tar
tar xf x.tar --directory @H/.claude
cd ~/.claude && tar xf @H/w/x.tar
tar -P -xf x.tar -C ~
tar -cf S! .
unzip x.zip -d ~/.claude
unzip -o x.zip settings.json -d ~/.claude
7z x x.7z -o@H/.claude
bsdtar -xf x.tar -C ~/.claude
cpio -i -D ~/.claude < x.cpio
curl -o S! https://example.com
curl https://example.com > S!
curl --output-dir ~/.claude -O https://example.com/settings.json
wget -O S! https://example.com
wget -P ~/.claude https://example.com/settings.json
aria2c -d ~/.claude https://example.com/settings.json
scp host:x S!
patch S! < p.patch
patch -d ~/.claude < p.patch
git config --file S! a.b c
git config -f S! a.b c
git -C ~/.claude config --file settings.json a.b c
git clone https://example.com/x ~/.claude
git --work-tree=@H/.claude checkout -f
git -C ~/.claude checkout .
cd ../g/sub && git checkout -f
git -C ../g/sub/deep reset --hard
GIT_WORK_TREE=@H/.claude git checkout -f
git -C ~ -c core.worktree=../.claude checkout -f
git worktree add ~/.claude
git archive -o S! HEAD
git diff --output=@H/.claude/settings.json
git checkout-index -a --prefix=@H/.claude/
git bundle create S! HEAD
git -c alias.x='!echo > S!' x
git init --template=evil ~/.claude
find ~/.claude -name '*.json' -exec tee {} \;
find ~/.claude -name settings.json -delete
find . -fprint S!
find ~ -name settings.json -exec sh -c 'echo > "$1"' _ {} +
fd settings.json ~/.claude -x tee
echo S! | xargs tee
printf '%s\n' @H/.claude/settings.json | xargs -I{} cp a.json {}
ls ~/.claude | xargs -I{} tee ~/.claude/{}
echo ~/.claude | xargs -I% rm -r %/
parallel tee ::: S!
echo x > >(tee S!)
cat a.json | tee >(cat > S!)
echo > "$(echo ~)/.claude/settings.json"
echo > "$(cd ~; pwd)/.claude/settings.json"
echo > $(dirname @H/w)/.claude/settings.json
echo > $(realpath ../.claude)/settings.json
python3 -c "open('@H/.claude/settings.json','w').write('')"
python3 -c "import os; open(os.path.expanduser('S!'),'w')"
python3 -c "import pathlib; (pathlib.Path.home()/'.claude'/'settings.json').write_text('')"
python3 -c "import shutil; shutil.copy('a.json', '@H/.claude/settings.json')"
python3 -c "import os; os.remove('@H/.claude/settings.json')"
python3 -c "import os; os.rename('a.json', '@H/.claude/settings.json')"
python3 -c "import os; os.link('@H/.claude/settings.json', 'x'); open('x', 'w')"
python3 -c "import os; os.symlink('@H/.claude', 'c'); open('c/settings.json', 'w')"
python3 -c "import pathlib; pathlib.Path('c').symlink_to('@H/.claude'); open('c/settings.json', 'w')"
python3 -c "import os; os.rename('dirlink', 'c'); open('c/settings.json', 'w')"
python3 -c "open('evil/../dirlink/../.claude/settings.json', 'w')"
python3 -c "open('dirlink/../.claude/settings.json', 'w')"
node -e "require('fs').writeFileSync('dirlink/../.claude/settings.json', '')"
node -e "const fs=require('fs'); fs.renameSync('filelink', 'c'); fs.writeFileSync('c', '')"
python3 -c "import os; os.chdir('../.claude'); open('settings.json', 'w')"
python3 -c "import subprocess; subprocess.run(['tee', '@H/.claude/settings.json'])"
python3 -c "import os; os.system('echo > S!')"
python3 - <<< "open('@H/.claude/settings.json','w')"
python3 -c "import sys; open(sys.argv[1], 'w')" S!
python3 - S! <<< "import sys; open(sys.argv[1], 'w')"
echo "import sys; open(sys.argv[1], 'w')" | python3 /dev/stdin S!
node -e "require('fs').writeFileSync(process.argv[1], '')" S!
node -e "require('child_process').execSync(process.argv.slice(1).join(' '))" 'tee S!'
node - S! <<< "require('fs').writeFileSync(process.argv[2], '')"
python3 -c "import shutil; shutil.copy('evil/settings.json', '@H/.claude')"
python3 -c "import shutil; shutil.move('evil/settings.json', '@H/.claude')"
python3 -c "import shutil; shutil.copytree('evil', '@H/.claude', dirs_exist_ok=True)"
python3 -c "import tarfile; tarfile.open('x.tar').extractall('@H/.claude')"
python3 -c "import fileinput; [print(l) for l in fileinput.input('@H/.claude/settings.json', inplace=True)]"
python3 -c "import logging; logging.basicConfig(filename='@H/.claude/settings.json')"
node -e "require('fs').cpSync('evil', '@H/.claude', {recursive: true})"
bun -e "Bun.write('@H/.claude/settings.json', '')"
deno eval "Deno.writeTextFileSync('@H/.claude/settings.json', '')"
deno eval "Deno.symlinkSync('@H/.claude', 'c'); Deno.writeTextFileSync('c/settings.json', '')"
unrar x x.rar ~/.claude/
tar --one-top-level=@H/.claude -xf x.tar
python3 run.py
node -e "require('fs').writeFileSync('@H/.claude/settings.json', '')"
node -e "const fs=require('fs'); fs.promises.writeFile(require('os').homedir()+'/.claude/settings.json', '')"
node -e "require('fs').createWriteStream('@H/.claude/settings.json')"
node -e "require('fs').copyFileSync('a.json', '@H/.claude/settings.json')"
node -e "require('fs').rmSync('@H/.claude', {recursive: true})"
node -e "const fs=require('fs'); fs.symlinkSync('@H/.claude', 'c'); fs.writeFileSync('c/settings.json', '')"
node -e "const fs=require('fs'); fs.linkSync('@H/.claude/settings.json', 'c'); fs.writeFileSync('c', '')"
node -e "process.chdir('../.claude'); require('fs').writeFileSync('settings.json', '')"
node -e "require('child_process').execSync('echo > S!')"
node run.js
make
make -f Makefile all
npm run build
docker run -v ~/.claude:/c alpine sh -c 'echo > /c/settings.json'
docker run --mount type=bind,source=@H,target=/h alpine true
docker run -v /:/host alpine true
docker cp c:/x S!
docker compose up
crontab -l > S!
yq -i '.a=1' S!
tac S! > S!
logger -f a.json > S!
mkfifo ~/.claude/settings.json
mknod ~/.claude/settings.json p
ssh-keygen -f ~/.claude/settings.json
sqlite3 ~/.claude/settings.json 'create table a(b)'
gcc -o ~/.claude/settings.json a.c
go build -o ~/.claude/settings.json .
pip install -t ~/.claude x
npm pack --pack-destination ~/.claude
tsc --outFile ~/.claude/settings.json
cat a.json 1<> S!
echo > ~+/../.claude/settings.json
cd ~/.claude; cd ~/w; echo > $OLDPWD/settings.json
cd ~/.claude; cd ..; cd -; echo > settings.json
pushd ~/.claude; pushd /; popd; echo > settings.json
mapfile -t a < list; echo > ${a[0]}
read -r f < list; echo > "$f"
set -- S!; echo > $1
echo > ${X1:-@H/.claude/settings.json}
: ${F:=@H/.claude/settings.json}; echo > $F
f=S!.bak; echo > ${f%.bak}
f=@H/.claude/x; echo > ${f%/*}/settings.json
coproc tee S!
bash -c "$(cat run.sh)"
env -S 'tee @H/.claude/settings.json'
sed -e 'w @H/.claude/settings.json' a.json
sed "s/a/b/w @H/.claude/settings.json" a.json
sort --output=@H/.claude/settings.json a.json
git -c core.pager='tee @H/.claude/settings.json' log -p
GIT_PAGER='tee @H/.claude/settings.json' git log
EDITOR='tee @H/.claude/settings.json' git commit
git difftool -x 'tee @H/.claude/settings.json'
git submodule foreach 'tee @H/.claude/settings.json'
git bisect run tee @H/.claude/settings.json
git rebase -x 'tee @H/.claude/settings.json' HEAD~1
git filter-branch --tree-filter 'tee @H/.claude/settings.json'
man -P 'tee @H/.claude/settings.json' ls
less -o @H/.claude/settings.json a.json
tar --to-command='tee @H/.claude/settings.json' -xf x.tar
tar --checkpoint=1 --checkpoint-action=exec='tee @H/.claude/settings.json' -cf y.tar .
tar -I 'tee @H/.claude/settings.json' -cf y.tar .
rsync -e 'sh -c "tee @H/.claude/settings.json"' x y:
ssh -o ProxyCommand='tee @H/.claude/settings.json' x
curl -D @H/.claude/settings.json https://example.com
curl --trace @H/.claude/settings.json https://example.com
curl -c @H/.claude/settings.json https://example.com
curl -o"@H/.claude/settings.json" https://example.com
wget -o @H/.claude/settings.json https://example.com
wget --save-cookies @H/.claude/settings.json https://example.com
npm config set x y --userconfig @H/.claude/settings.json
pip download -d ~/.claude x
pip install --log @H/.claude/settings.json x
pip install --report @H/.claude/settings.json x
go test -coverprofile=@H/.claude/settings.json ./...
make --eval='x:=$(shell tee @H/.claude/settings.json)'
make SHELL='tee @H/.claude/settings.json'
cmake -E copy a.json @H/.claude/settings.json
cmake -E touch @H/.claude/settings.json
docker run -v@H/.claude:/c alpine true
docker run --volume=@H/.claude:/c alpine true
podman run -v ~/.claude:/c alpine true
python3 -m json.tool a.json S!
python3 -m zipfile -e x.zip ~/.claude
python3 -m tarfile -e x.tar ~/.claude
python3 -m venv ~/.claude
vim -w S! a.json
script S!
ffmpeg -i a.mp4 S!
convert a.png S!
pandoc a.md -o S!
dot -Tpng a.dot -o S!
openssl rand -out S! 10
sops -i S!
sd a b S!
dos2unix S!
clang-format -i S!
prettier --write S!
black S!
gofmt -w S!
shfmt -w S!
jq . S! | sponge S!
pee 'tee @H/.claude/settings.json' < a.json
echo x | ifne tee S!
echo a | entr tee S!
watch 'tee @H/.claude/settings.json'
busybox sed -i s/a/b/ S!
toybox tee S!
rename 's/a/b/' S!
dpkg -x p.deb ~/.claude
dpkg-deb -x p.deb ~/.claude
unsquashfs -f -d ~/.claude x.sqfs
unrar x x.rar ~/.claude/
unar -o ~/.claude x.zip
iconv -f utf8 -t latin1 -o S! a.json
nl a.json | tee -- S!
tee -- S!
cp -- a.json S!
cp --target-directory ~/.claude evil/settings.json
mv --target-directory=@H/.claude evil/settings.json
cp -bf a.json S!
cp --backup=numbered a.json S!
install -D -t ~/.claude evil/settings.json
git mv a.json ../.claude/settings.json
git restore --source HEAD ~/.claude/settings.json
git show HEAD:x > S!
git format-patch -o ~/.claude -1
git init ~/.claude
git submodule add https://x ~/.claude
git clone https://example.com/.claude ~/.claude/
gh repo clone x/y ~/.claude
svn checkout https://x ~/.claude
hg clone https://x ~/.claude
node -e "require('fs').writeFileSync(require('path').resolve('..', '.claude', 'settings.json'), '')"
node -e "require('fs').writeFileSync(process.env.HOME + '/.claude/settings.json', '')"
node -e "require('fs').openSync(process.env.HOME + '/.claude/settings.json', 'w')"
node -e "require('fs').cpSync('evil', '@H/.claude', {recursive: true})"
node -e "require('child_process').spawn('tee', ['@H/.claude/settings.json'])"
node --input-type=module -e "import fs from 'fs'; fs.writeFileSync('@H/.claude/settings.json', '')"
node -p "require('fs').writeFileSync('@H/.claude/settings.json', '')"
bun -e "Bun.write('@H/.claude/settings.json', '')"
deno eval "Deno.writeTextFileSync('@H/.claude/settings.json', '')"
tsx -e "require('fs').writeFileSync('@H/.claude/settings.json', '')"
npx -c 'tee @H/.claude/settings.json'
npm exec -c 'tee @H/.claude/settings.json'
npm run build --prefix .
yarn build
pnpm build
python3 -c "import os; os.open('@H/.claude/settings.json', os.O_WRONLY)"
python3 -c "import os; fd = os.open('@H/.claude/settings.json', os.O_WRONLY|os.O_CREAT)"
python3 -c "from pathlib import Path; Path('~/.claude/settings.json').expanduser().write_text('')"
python3 -c "import json; json.dump({}, open('@H/.claude/settings.json', 'w'))"
python3 -c "import io; io.open('@H/.claude/settings.json', mode='a')"
python3 -c "import shutil; shutil.copytree('evil', '@H/.claude', dirs_exist_ok=True)"
python3 -c "import tarfile; tarfile.open('x.tar').extractall('@H/.claude')"
python3 -c "import zipfile; zipfile.ZipFile('x.zip').extractall(path='@H/.claude')"
python3 -c "import sqlite3; sqlite3.connect('@H/.claude/settings.json')"
python3 -c "import urllib.request; urllib.request.urlretrieve('https://x', '@H/.claude/settings.json')"
python3 -c "import logging; logging.basicConfig(filename='@H/.claude/settings.json')"
python3 -c "import os; os.environ['HOME']; os.system('tee ' + os.environ['HOME'] + '/.claude/settings.json')"
python3 -c "with open(f'{__import__(\"os\").environ[\"HOME\"]}/.claude/settings.json', 'w') as f: pass"
python3 -c "import subprocess; subprocess.Popen('tee @H/.claude/settings.json', shell=True)"
python3 -c "import subprocess, sys; subprocess.run([sys.executable, 'run.py'])"
python3 -c "import runpy; runpy.run_path('run.py')"
python3 -c "import os; os.execvp('tee', ['tee', '@H/.claude/settings.json'])"
python3 -c "import os; os.truncate('@H/.claude/settings.json', 0)"
python3 -c "import fileinput; [print(l) for l in fileinput.input('@H/.claude/settings.json', inplace=True)]"
perl -i -pe 's/a/b/' S!
perl -i.bak -ne 'print' S!
ruby -i -pe 'x' S!
find ~/.claude -type f -exec sed -i s/a/b/ {} +
find ~/.claude -type f | xargs sed -i s/a/b/
find ~/.claude -type f -print0 | xargs -0 rm
grep -rl x ~/.claude | xargs sed -i s/a/b/
rg -l x ~/.claude | xargs sed -i s/a/b/
fd . ~/.claude -X rm
fd -e json . ~/.claude -x sd a b
ls ~/.claude/*.json | while read -r f; do echo > "$f"; done
for f in $(find ~/.claude -type f); do echo > $f; done
for d in ~/.*; do echo > $d/settings.json; done
chmod u+w,go-r S!
chgrp x S!
touch -d yesterday S!
setfattr -n user.x -v y S!
mv -v ~/.claude{,.bak}
mv ~/.claude/settings.json{,.bak}
rm -rf ~/.claude ~/.cache
rm -rf ~
rm -rf ~/.[a-z]*
find ~ -delete
find ~ -maxdepth 2 -name '*.json' -delete
git -C ~ clean -fdx
trash ~/.claude
gio trash ~/.claude
tar -xf x.tar -C /
tar --one-top-level=@H/.claude -xf x.tar
nohup sh -c 'sleep 1; tee @H/.claude/settings.json' &
(sleep 1; tee S!) & disown
at now -f run.sh
echo dGVlIH4vLmNsYXVkZS9zZXR0aW5ncy5qc29u | base64 -d | sh
. <(echo 'tee @H/.claude/settings.json')
source /dev/stdin <<< 'tee @H/.claude/settings.json'
alias t='tee @H/.claude/settings.json'; t
shopt -s expand_aliases; alias t=tee; t S!
PROMPT_COMMAND='tee @H/.claude/settings.json' bash -i
BASH_ENV=run.sh bash -c true
`

const reachUnknown = `
cat > $(cat list)
echo > "$(head -1 list)"
echo > $UNSET/settings.json
tee $(find ~ -name settings.json)
xargs -a list tee
xargs tee < list
cat list | while read f; do echo > $f; done
ruby -e "File.write(Dir.home + '/.claude/settings.json', '')"
perl -e 'open F, ">", "@H/.claude/settings.json"'
php -r 'file_put_contents("x", "");'
lua -e 'io.open("x", "w")'
python3 -c "exec(input())"
python3 -c "import ctypes; ctypes.CDLL(None).truncate(b'x', 0)"
node -e "eval(process.argv[1])" "$CMD"
bash -c "$CMD"
ln -s "$(head -1 list)" c; echo > c/settings.json
docker run --privileged alpine x
nsenter -t 1 -m tee S!
cpio -idm < x.cpio
bun -e "Bun.file('@H/.claude/settings.json').writer()"
deno eval "new Deno.Command('tee', {args: ['x']})"
make -f - <<< $'a:\n\ttee @H/.claude/settings.json'
sqlite3 :memory: ".output @H/.claude/settings.json"
sqlite3 x.db ".shell tee @H/.claude/settings.json"
sqlite3 x.db "attach '@H/.claude/settings.json' as a; create table a.b(c);"
vim -c 'w! @H/.claude/settings.json' -c q a.json
ex -sc 'w! @H/.claude/settings.json|q' a.json
ed a.json <<< 'w @H/.claude/settings.json'
emacs --batch --eval '(write-region "" nil "@H/.claude/settings.json")'
npx prettier --write S!
cpio -idm < x.cpio
crontab -
python3 -c "exec(open('run.py').read())"
echo 'tee @H/.claude/settings.json' > x.sh; sh x.sh
cat > x.sh <<< 'tee @H/.claude/settings.json'; bash x.sh
gdb -ex 'shell tee S!' -batch
vim -c '!tee S!' -c q a.json
ssh localhost tee S!
at now <<< 'tee S!'
systemd-run tee S!
crontab list
tmux new -d 'tee S!'
screen -dm tee S!
expect -c 'spawn tee S!'
socat - OPEN:@H/.claude/settings.json,creat
`

const reachNot = `
echo > x
cat S!
cp S! x
ln -s a.json b
ln a.json b
ln -s a.json b; echo > b
ln -s ~/.claude c
ln -s ~/.claude c; cat c/settings.json
ln -s ~/.claude c; rm c
cp a.json b
mv a.json b
rm filelink
mv filelink x
cd ~/.claude && cat settings.json
grep x ~/.claude/settings.json > y
find ~/.claude -name '*.json'
jq . S! > out.json
diff S! a.json
tar -cf x.tar ~/.claude
cat < S!
cat /proc/$X/cmdline
find /proc -name cmdline -exec cat {} \;
cat S! | tee /dev/stderr
echo > /dev/stdout
cat S! | sh -c 'cat > /dev/null'
mv a.json b; echo > b
mv evil x; echo > x/settings.json
mv a.json t; mv list a.json; mv t list
cp -r evil x; echo > x/settings.json
cp -r evil x; mv x y; mv y x; echo > x/settings.json
install -D a.json out/b
mkdir -p a/b && touch a/b/c
python3 -c "import logging; logging.basicConfig(level='INFO')"
sed s/a/b/ S!
git status
rsync ~/.claude/settings.json .
tar -xf x.tar
`
