package models_test

import "testing"

func TestGo(t *testing.T) {
	check(t, `
go build ./... =>
go build -o bin/x -ldflags -s ./cmd/x => write=bin/x
go build -toolexec garble . => shell=garble
go -C sub build --race => chdir=sub
go build -C sub => chdir=sub
go test -run TestX -count=1 ./... =>
go test -coverprofile=c.out -exec wine . => write=c.out; shell=wine
go test . -args -o x =>
go run -race . -o x =>
go run golang.org/x/tools/cmd/stringer@latest -type T => registry @go; write-tree $HOME/go/pkg/mod; unknown process,file,environment,network
go install ./cmd/x => write-tree $HOME/go/bin
go install example.org/x@v1 => write-tree $HOME/go/bin; registry @go; write-tree $HOME/go/pkg/mod
go get -u ./... => registry @go; write go.mod; write go.sum; write-tree $HOME/go/pkg/mod
go mod tidy => registry @go; write go.mod; write go.sum; write-tree $HOME/go/pkg/mod
go mod init example.org/x => write go.mod
go mod edit -json => write go.mod; drop file.write
go mod vendor => registry @go; write-tree $HOME/go/pkg/mod; delete-tree vendor; write-tree vendor
go work use -r . => write go.work
go env GOROOT =>
go env -w GOFLAGS=-mod=mod => write $XDG_CONFIG_HOME/go/env
go fmt ./... => exec gofmt; write-tree .
go vet -vettool=x ./... => exec=x
go list -m all =>
go list -m -u all => registry @go
go list -m -versions rsc.io/quote => registry @go
go generate -run x ./... =>
go clean -modcache => delete-tree $HOME/go/pkg/mod
go clean -cache => delete-tree $XDG_CACHE_HOME/go-build
go tool pprof -http=localhost:1 cpu.out => listen=localhost:1; from=cpu.out; write-tree $HOME/pprof
go tool cover -html=c.out -o c.html => read=c.out; write=c.html
go version =>
go doc fmt.Println =>
go frob => missing
gofmt -l . => read-tree=.
gofmt -w a.go b.go => write-tree {*}; read-tree=a.go; read-tree=b.go
golangci-lint run --fix ./... => exec go; write-tree .
staticcheck ./... => exec go
buf lint =>
protoc -I. --go_out=. --go_opt=paths=source_relative a.proto => write-tree .; exec protoc-gen-go; read=a.proto
dlv debug . => unknown process,file,environment,network; listen 127.0.0.1
`)
}

func TestRust(t *testing.T) {
	check(t, `
cargo build --release => write-tree {--target-dir:-target}; write Cargo.lock
cargo +nightly b -p x --features a,b --locked => write-tree {--target-dir:-target}
cargo test --no-run -- --nocapture => write-tree {--target-dir:-target}; write Cargo.lock
cargo run --bin x -- --help --target-dir y => write-tree {--target-dir:-target}; write Cargo.lock
cargo --offline check => drop network; write-tree {--target-dir:-target}; write Cargo.lock
cargo install ripgrep => write-tree {--root:-$HOME/.cargo}/bin; registry @crates; write-tree $HOME/.cargo/registry; unknown process,file,environment,network
cargo install --path . --root r => write-tree {--root:-$HOME/.cargo}/bin; registry @crates; read-tree=.
cargo publish --dry-run => drop file.write,file.delete,network.send; send @crates; write-tree {--target-dir:-target}; write Cargo.lock
cargo add serde -F derive => write {--manifest-path:-Cargo.toml}; write Cargo.lock; registry @crates
cargo add --path ../x x => write {--manifest-path:-Cargo.toml}; write Cargo.lock
cargo new app => write-tree=app
cargo init => write-tree .
cargo fmt --check => exec rustfmt; write-tree .; drop file.write
cargo clean => delete-tree {--target-dir:-target}
cargo clippy --fix --allow-dirty => write-tree .; write-tree {--target-dir:-target}; write Cargo.lock
cargo login => write $HOME/.cargo/credentials.toml
cargo search x => registry @crates
cargo vendor => registry @crates; write-tree $HOME/.cargo/registry; write-tree vendor
cargo tree -i x => write Cargo.lock
cargo metadata --no-deps --format-version 1 =>
cargo doc --open => exec xdg-open; write-tree {--target-dir:-target}; write Cargo.lock
cargo --version => nothing
cargo --list => nothing
rustup default stable => write $HOME/.rustup/settings.toml
rustup toolchain install nightly --profile minimal => fetch @rust; write-tree $HOME/.rustup
rustup target add wasm32-wasip1 => fetch @rust; write-tree $HOME/.rustup
rustup run nightly cargo build => command=cargo
rustup show =>
rustc -O -o x main.rs => write=x; read=main.rs
rustc main.rs => read=main.rs; write-tree .
rustfmt src/a.rs => write=src/a.rs
rustfmt --check src/a.rs => write=src/a.rs; drop file.write
wasm-pack publish => exec npm; send @npm
cargo nosuch => missing
`)
}

func TestPython(t *testing.T) {
	check(t, `
pip install requests => registry @pypi; write-tree /usr/local/lib; unknown process,file,environment,network
pip3 install -r req.txt -t out --only-binary=:all: => read=req.txt; write-tree=out; registry @pypi
pip install -e . --no-index --user => from=.; write-tree $HOME/.local; unknown process,file,environment,network
pip install -i https://i.example/simple x --dry-run => fetch=https://i.example/simple; drop file.write,file.delete; write-tree /usr/local/lib; unknown process,file,environment,network
pip uninstall -y x => delete-tree /usr/local/lib
pip list =>
pip list --outdated => registry @pypi
pip freeze -r req.txt => read=req.txt
pip config set global.index-url x => write $XDG_CONFIG_HOME/pip/pip.conf
pip config get x =>
pip cache purge => delete-tree $XDG_CACHE_HOME/pip
pip --version => nothing
uv sync --frozen => registry @pypi; write-tree .venv; unknown process,file,environment,network
uv run pytest -x => command=pytest; registry @pypi; write-tree .venv; write uv.lock
uv run --no-sync a.py --x => script python=a.py
uv run -m http.server --bind x => module python=http.server; registry @pypi; write-tree .venv; write uv.lock
uv pip install -r r.txt --no-index --prefix p --only-binary=:all: => read=r.txt; write-tree=p
uv add httpx --no-sync => registry @pypi; write pyproject.toml; write uv.lock
uv venv => write-tree .venv
uv venv env => write-tree=env
uv tool list =>
uv tool run ruff check --fix => registry @pypi; write-tree $XDG_CACHE_HOME/uv; unknown process,file,environment,network
uvx --from httpie http -v x => registry @pypi; registry @pypi; write-tree $XDG_CACHE_HOME/uv; unknown process,file,environment,network
uv publish => send @pypi
uv lock --check => registry @pypi; write uv.lock; drop file.write
uv python pin 3.12 => write .python-version
pipx list =>
pipx run black . => registry @pypi; write-tree $XDG_CACHE_HOME/pipx; unknown process,file,environment,network
poetry run python a.py -C x => command=python
poetry publish --build => send @pypi; write-tree dist
poetry config --list =>
poetry config virtualenvs.create false => write $XDG_CONFIG_HOME/pypoetry/config.toml
poetry show --tree =>
poetry lock => registry @pypi; write poetry.lock
conda activate x => set-env PATH
conda run -n e python a.py => command=python
conda env list =>
conda search x => registry @conda
pyenv global 3.12 => write $HOME/.pyenv/version
pyenv versions =>
virtualenv -p python3 env => write-tree=env
python-m venv .venv => write-tree=.venv
python-m pip list =>
python-m http.server 8000 => listen *:8000
python-m http.server -b 127.0.0.1 8000 => listen=127.0.0.1
python-m json.tool in.json out.json => read=in.json; write=out.json
python-m nosuch => unknown process,file,environment,network
pytest -q tests => write-tree .pytest_cache; write-tree .; unknown process,file,environment,network
pytest --junitxml=r.xml -k x => write=r.xml; write-tree .pytest_cache; write-tree .; unknown process,file,environment,network
mypy --no-incremental src =>
ruff check src => read-tree=src; write-tree .ruff_cache
ruff check --fix -n => write-tree {1}; write-tree .
ruff format --check . => write-tree=.; drop file.write
black . => write-tree=.
black --check . => write-tree=.; drop file.write
isort -c . => write-tree=.; drop file.write
flake8 src =>
coverage run -m pytest => module python=pytest; write .coverage
coverage run a.py -m x => script python=a.py; write .coverage
coverage html => write-tree htmlcov
twine upload dist/x => read=dist/x; send @pypi; env-file $HOME/.pypirc
ansible-vault encrypt f => write=f
alembic init m => write-tree=m
flask --app x run --host=0.0.0.0 => listen=0.0.0.0; listen 127.0.0.1:5000; unknown process,file,environment,network
`)
}

func TestBuildSystems(t *testing.T) {
	check(t, `
make -j8 -C sub all CC=gcc =>
make -f x.mk -n install =>
make --version => nothing
just -f x.just build arg => read=x.just
just --list => nothing
task -d sub build =>
cmake -S . -B build -DX=1 => read-tree=.; write-tree=build; unknown process,file,environment,network
cmake --build build -j4 --target install => write-tree=build; unknown process,file,environment,network
cmake .. => read-tree=..; write-tree .; unknown process,file,environment,network
cmake -E copy a b => read-tree=a; write-tree=b
cmake -E rm -rf x => delete-tree=-rf; delete-tree=x
cmake -E env A=b make => set-env=A=b; command=make
cmake --install build --prefix p => read-tree=build; write-tree=p
cmake --version => nothing
ctest -N => write-tree Testing; unknown process,file,environment,network; drop process,file,network
ninja -C out -t targets => chdir=out; write-tree .; unknown process,file,environment,network; drop process,file,network
meson setup build -Dx=y => write-tree=build; unknown process,file,environment,network
meson build => write-tree=build; unknown process,file,environment,network
gcc -O2 -Wall -Iinclude -o x a.c -lm => write=x; read=a.c
gcc a.c => read=a.c; write a.out
gcc -c a.c => read=a.c; write-tree .
gcc -fplugin=p.so -c a.c -o a.o => unknown process,file,network; write-tree .; write=a.o; read=a.c
g++ -E a.cc => drop file.write; read=a.cc
clang -fsyntax-only a.c => drop file.write; read=a.c
cc -print-file-name=x => nothing
ar rcs lib.a a.o b.o => write=lib.a; read=a.o; read=b.o
ar t lib.a => read=lib.a
strip x => write=x
strip -o y x => write=y; read=x
objdump -d x => read=x
nm -D x => read=x
ld -o x a.o -lc => write=x; read=a.o
ccache gcc -c a.c => command=gcc
pkg-config --cflags x =>
clang-format -i a.c => write-tree {*}; read=a.c
autoreconf -fi => write-tree .; unknown process,file
`)
}

func TestNodeTools(t *testing.T) {
	check(t, `
tsc --noEmit -p . => drop file.write; read=.; write-tree .
tsc -v => nothing
tsc --init => write tsconfig.json; write-tree .
tsx watch src/a.ts => script node=src/a.ts
tsx --env-file .env a.ts -e x => env-file=.env; script node=a.ts
ts-node -e x => code node=x
vite build --outDir out => write-tree=out; script node vite.config.*
vite => listen 127.0.0.1:5173; write-tree node_modules/.vite; script node vite.config.*
vite preview --config v.ts => script node=v.ts; listen 127.0.0.1:4173
esbuild a.ts --bundle --outfile=o.js --define:A=b => read=a.ts; write=o.js
rollup -c -o x => script node rollup.config.*; write=x
jest --coverage -c j.json => read=j.json; write-tree {--coverageDirectory:-coverage}; write-tree $TMPDIR; unknown process,file,environment,network
jest --version => nothing
vitest run -t x => unknown process,file,environment,network; script node vitest.config.*; script node vite.config.*
eslint . => read-tree=.; script node eslint.config.*; script node .eslintrc.js; script node .eslintrc.cjs
eslint --fix -c e.mjs src => write-tree .; script node=e.mjs; read-tree=src
prettier --check . => read-tree=.; script node prettier.config.*; script node .prettierrc.*
prettier -w a.js => write-tree {*}; read-tree=a.js; script node prettier.config.*; script node .prettierrc.*
biome check --write . => write-tree {*}; read-tree=.
rimraf dist => delete-tree=dist
mkdirp a/b => write=a/b
cross-env A=1 B=2 node x.js --c => set-env=A=1; set-env=B=2; command=node
concurrently -k -n a,b x y => shell=x; shell=y
run-s a b =>
pm2 start app.js -- --x => script node=app.js; write-tree $HOME/.pm2
lint-staged => exec git
lefthook run pre-commit => exec git
pre-commit install => exec git
pre-commit run -a => exec git; write .git/index
patch-package => write-tree node_modules
patch-package x => write-tree node_modules; write-tree patches; registry @npm; exec npm
serve -l 3000 dist => listen=3000; read-tree=dist
http-server . => read-tree=.; listen *:8080
copyfiles -u 1 a b out => read=a; read=b; write-tree=out
shx rm -rf x => command=rm
sass a.scss b.css => read=a.scss; write=b.css
svgo --version => nothing
deno run -A x.ts => script deno=x.ts
deno fmt --check => drop file.write; write-tree .
deno eval x => code deno=x
node-gyp rebuild => exec make; exec python3; read-env NODE_GYP_FORCE_PYTHON; read-env NODEJS_ORG_MIRROR; set-env PYTHONPATH; write-tree build; fetch @node; write-tree $XDG_CACHE_HOME/node-gyp; unknown process,file,network
nx --version => nothing
ng version => nothing
prisma validate => env-file .env
`)
}
