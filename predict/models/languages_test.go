package models_test

import "testing"

func TestLanguages(t *testing.T) {
	check(t, `
mvn -q clean => registry @maven; write-tree $HOME/.m2/repository; unknown process,file,environment,network; delete-tree target
mvn -DskipTests -o package => registry @maven; write-tree $HOME/.m2/repository; unknown process,file,environment,network; write-tree target; drop network
mvn deploy -s s.xml => read=s.xml; registry @maven; write-tree $HOME/.m2/repository; unknown process,file,environment,network; send @maven
mvn --version => nothing
gradle -p sub build -x test --offline => chdir=sub; drop network.fetch; registry @maven; write-tree .gradle; write-tree build; write-tree $HOME/.gradle; unknown process,file,environment,network
gradlew --version => nothing
gem install rake -v 13 => registry @rubygems; unknown process,file,environment,network; write-tree /usr/local/lib/ruby
gem list =>
gem push x.gem => read=x.gem; send @rubygems
bundle exec rake -T => command=rake; script ruby Gemfile
bundle config set --local path v => write .bundle/config
rails --version => nothing
composer require a/b --dry-run => drop file; registry @packagist; write-tree vendor; write composer.lock; write-tree $XDG_CACHE_HOME/composer; unknown process,file,environment,network; write composer.json
composer show --tree =>
composer config --list =>
dotnet build -c Release -o out => write-tree=out; registry @nuget; write-tree obj; write-tree bin; write-tree $HOME/.nuget/packages; unknown process,file,environment,network
dotnet nuget push x.nupkg -k key => registry @nuget; send @nuget
dotnet --info => nothing
dart format lib => write-tree=lib
dart format -o none lib => read-tree=lib
dart pub get => registry @pub; write-tree .dart_tool; write pubspec.lock; write-tree $HOME/.pub-cache
flutter doctor => registry @pub; write-tree .; write-tree $HOME/.pub-cache; unknown process,file,environment,network; drop file,network
mix format --check-formatted => drop file.write; write-tree .
zig build-exe a.zig -O ReleaseFast => read=a.zig; write-tree .; write-tree $XDG_CACHE_HOME/zig
zig version =>
ghc -o x Main.hs => write=x; read=Main.hs; write-tree .; unknown process,file
cabal --version => nothing
`)
}

func TestVersionControl(t *testing.T) {
	check(t, `
hg status =>
hg log -l 5 =>
hg commit -m x => write-tree .hg; write-tree .; unknown process,file
hg clone https://h.example/r => from=https://h.example/r; write-tree {1.repo}
hg --config ui.editor=x status => unknown process,file,network
hg push => send @remote; unknown process,file
svn checkout https://h.example/r/trunk => from=https://h.example/r/trunk; write-tree {1.base}
svn status =>
svn commit -m x -F note => read=note; send @remote; write-tree .svn
jj git clone https://h.example/r d => from=https://h.example/r; write-tree=d
jj st => write-tree .jj
jj bisect run --range x cargo test => command=cargo; write-tree .; write-tree .jj
jj config list =>
claude -p x => send *; unknown process,file,environment,network,container,mcp
claude --version => nothing
ollama run llama3 hi => fetch @ollama; write-tree $HOME/.ollama; send 127.0.0.1:11434
ollama serve => listen 127.0.0.1:11434; write-tree $HOME/.ollama
`)
}
