package models_test

import "testing"

func TestCurl(t *testing.T) {
	checkFilled(t, `
curl https://h.example => fetch=https://h.example
curl -sSfL https://h.example -o f => fetch=https://h.example; write=f
curl -of https://h.example => fetch=https://h.example; write=f
curl --output=f https://h.example => fetch=https://h.example; write=f
curl --output f https://h.example => fetch=https://h.example; write=f
curl -O https://h.example/d/x.tgz => fetch=https://h.example/d/x.tgz; write ./x.tgz
curl -O --output-dir d https://h.example/x.tgz => fetch=https://h.example/x.tgz; write d/x.tgz
curl -OJ https://h.example/x => fetch=https://h.example/x; write ./x; write-tree .
curl -d a=1 https://h.example => send=https://h.example
curl -d @f https://h.example => send=https://h.example; read=f
curl -d@f https://h.example => send=https://h.example; read=f
curl --data-binary @- https://h.example => send=https://h.example; stdin=@-
curl --data-raw @f https://h.example => send=https://h.example
curl --data-urlencode name@f https://h.example => send=https://h.example; read=f
curl --json @f https://h.example => send=https://h.example; read=f
curl -F 'file=@a.png;type=image/png' -F 'x=<b' -F c=d https://h.example => send=https://h.example; read=a.png; read=b
curl -T f https://h.example => send=https://h.example; read=f
curl -X DELETE https://h.example => send=https://h.example
curl -XGET https://h.example => fetch=https://h.example
curl -I -X HEAD https://h.example => fetch=https://h.example
curl -H 'A: b' -H @f https://h.example => fetch=https://h.example; read=f
curl -K f => read=f; unknown file,network
curl --url https://h.example -x p.example:3128 => fetch=https://h.example; fetch=p.example:3128
curl -b jar -c jar https://h.example => fetch=https://h.example; read jar; write=jar
curl -b a=b https://h.example => fetch=https://h.example
curl -n https://h.example => fetch=https://h.example; env-file $HOME/.netrc
curl --netrc-file f https://h.example => fetch=https://h.example; env-file=f
curl --cert c --key k https://h.example => fetch=https://h.example; read=c; read=k
curl -D h --trace t https://h.example => fetch=https://h.example; write=h; write=t
curl --unix-socket /var/run/docker.sock http://localhost/info => engine
curl --unix-socket ./s http://localhost/info =>
curl -u me:pw --resolve h.example:443:127.0.0.1 -w '%{http_code}' https://h.example => fetch=https://h.example
curl --max-time 5 --retry 3 -A agent -e ref https://h.example => fetch=https://h.example
curl https://a.example https://b.example => fetch=https://a.example; fetch=https://b.example
curl --version => nothing
`)
}

func TestWget(t *testing.T) {
	checkFilled(t, `
wget https://h.example/f => fetch=https://h.example/f; write-tree .
wget -O f https://h.example => fetch=https://h.example; write f
wget -qO- https://h.example => fetch=https://h.example; write -
wget -P d https://h.example/f => fetch=https://h.example/f; write-tree d
wget -i list => from=list; write-tree .; fetch *
wget -o log https://h.example/f => fetch=https://h.example/f; write=log; write-tree .
wget --post-file=f https://h.example -O - => read=f; send=https://h.example; write -
wget --method=PUT --body-data=x -O - https://h.example => send=https://h.example; write -
wget --spider https://h.example => fetch=https://h.example
wget -e robots=off -O - https://h.example => fetch=https://h.example; write -
wget -e use_askpass=./x -O - https://h.example => exec=./x; fetch=https://h.example; write -
wget --execute='https_proxy = p.example' -O - https://h.example => fetch=p.example; fetch=https://h.example; write -
wget --use-askpass=./x -O - https://h.example => exec=./x; fetch=https://h.example; write -
wget -r -l 2 -np -nH --cut-dirs=1 https://h.example/d/ => fetch=https://h.example/d/; write-tree .
`)
}

func TestRemote(t *testing.T) {
	checkFilled(t, `
ssh -i key -p 22 me@h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; read=key
ssh -o ProxyCommand=./x h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; shell=./x
ssh h -o ProxyCommand=./x => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; shell=./x
ssh -oproxycommand=./x h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; shell=./x
ssh -o StrictHostKeyChecking=no h ls -F x => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts
ssh h cmd -o ProxyCommand=./x => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts
ssh -F cfg h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; read=cfg; unknown process,network
ssh -L 8080:localhost:80 -N h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts
ssh -L 0.0.0.0:8080:localhost:80 -N h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; listen *
ssh -D 1080 h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts
ssh -g -D 1080 h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; listen *
ssh -J jump h => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; send ssh://jump
scp a h:b => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; exec ssh; from=a; to=h:b
scp -r h:d . => read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; exec ssh; from=h:d; to=.
scp a b => from=a; to=b
scp -P 2222 -S ./x a b => exec=./x; from=a; to=b
rsync -av a/ b/ => from=a/; to=b/
rsync -av --delete a/ b/ => from=a/; to=b/; delete-tree b/
rsync -an --delete a/ b/ => from=a/; to=b/; delete-tree b/; drop file.write,file.delete
rsync -e './x -p 1' a h:b => shell=./x -p 1; from=a; to=h:b
rsync --rsh=./x a h:b => shell=./x; from=a; to=h:b
rsync -az a h:b => read-tree $HOME/.ssh; exec ssh; from=a; to=h:b
rsync --exclude-from=ex --files-from=l --log-file=log a b => read=ex; read=l; write=log; from=a; to=b
rsync --remove-source-files a b => delete-tree a; from=a; to=b
rsync --daemon => listen *:873
nc -l 8080 => listen *
nc -lvnp 8080 => listen *
nc h.example 80 => send=h.example
nc -e /bin/sh h.example 80 => exec=/bin/sh; send=h.example
ncat --sh-exec 'x | y' -l 80 => shell=x | y; listen *
nc -zv -w 3 h.example 22 => send=h.example
socat TCP-LISTEN:80,fork EXEC:./x => listen *:80; shell=./x
socat - TCP:h.example:80 => send h.example:80
socat -u FILE:f TCP4:h.example:80 => write=f; send h.example:80
dig @1.1.1.1 h.example +short => fetch=1.1.1.1; fetch=h.example
dig -t mx h.example => fetch=h.example
host h.example => fetch=h.example
ping -c 3 h.example => send=h.example
telnet h.example 25 => send=h.example
nmap -p 1-100 -sV -T4 h.example => send=h.example
nmap -oN out -iL list h.example => write=out; read=list; send=h.example
ssh-keygen -t ed25519 -f k -N '' => write k; write k.pub
ssh-keygen -lf k => read k
ssh-keygen -R h => write $HOME/.ssh/known_hosts
ssh-copy-id -i k.pub me@h => read=k.pub; read-tree $HOME/.ssh; write $HOME/.ssh/known_hosts; exec ssh; send=me@h
rclone copy a remote:b => from=a; to=remote:b
openssl s_client -connect h.example:443 => send h.example:443
openssl req -x509 -newkey rsa:2048 -keyout k -out c -days 1 -subj /CN=x => write=k; write=c
openssl enc -aes-256-cbc -in a -out b -k pw => read=a; write=b
openssl dgst -sha256 f => read=f
openssl rand -hex 16 =>
`)
}

func TestArchives(t *testing.T) {
	checkFilled(t, `
tar xzf a.tgz => exec gzip; from a.tgz; write-tree .
tar -xzf a.tgz -C d => exec gzip; from a.tgz; write-tree d
tar xvf a.tar => from a.tar; write-tree .
tar --extract --file=a.tar --directory d => from a.tar; write-tree d
tar -xf a.tar.gz => exec gzip; from a.tar.gz; write-tree .
tar tf a.tar => from a.tar
tar czf a.tgz d e => exec gzip; to a.tgz; read-tree=d; read-tree=e
tar -czf - d => exec gzip; to -; read-tree=d
tar czf a.tgz -C /srv d => exec gzip; to a.tgz; read-tree /srv/d
tar cf a.tar --exclude x --exclude-from=l d => to a.tar; read=l; read-tree=d
tar cf a.tar -T list => to a.tar; read=list
tar xf a.tar --to-command=./x => shell=./x; from a.tar
tar cf a.tar d --checkpoint=1 --checkpoint-action=exec=./x => shell=./x; to a.tar; read-tree=d
tar cf a.tar d --checkpoint-action exec=./x => shell=./x; to a.tar; read-tree=d
tar cf a.tar d --checkpoint-action=dot => to a.tar; read-tree=d
tar -I ./x -cf a d => shell=./x; to a; read-tree=d
tar --use-compress-program=./x -cf a d => shell=./x; to a; read-tree=d
tar --use-comp ./x -cf a d => shell=./x; to a; read-tree=d
tar -F ./x -cf a d => shell=./x; to a; read-tree=d
tar rf a.tar f => from a.tar; to a.tar; read-tree=f
tar cf h:a.tar --rsh-command=./x d => exec=./x; to h:a.tar; read-tree=d
tar cf a.tar --remove-files d => to a.tar; read-tree=d; delete-tree d
tar xPf a.tar => from a.tar; write-tree .; unknown file
tar xOf a.tar f => from a.tar
gzip f => move=f; write f.gz; write f
gzip -c f => read=f
gzip -dk f.gz => read=f.gz; write f.gz.gz; write f
gunzip f.gz => move=f.gz; write f.gz.gz; write f
gzip -tv f.gz => read=f.gz
xz -T 0 -k f => read=f; write f.xz; write f
zstd -o out f => write=out; read=f
zcat f.gz => read=f.gz
zip -r a.zip d e => write=a.zip; read-tree=d; read-tree=e
zip -TT ./x -T a.zip f => shell=./x; write=a.zip; read-tree=f
unzip a.zip => read=a.zip; write-tree .
unzip -d out a.zip => read=a.zip; write-tree out
unzip -l a.zip => read=a.zip
unzip -p a.zip f => read=a.zip
7z x a.7z -oout => read=a.7z; write-tree=out
7z a a.7z d => write=a.7z; read-tree=d
cpio -idm -F a => from=a; to=a; write-tree .; unknown file
`)
}

func TestText(t *testing.T) {
	checkFilled(t, `
grep -n pat a b => read=a; read=b
grep -rn pat src => read-tree=src
grep -r pat => read-tree .
grep -e a -e b f => read=f
grep -f pats f => read=pats; read=f
grep -A 2 -B2 -C1 -m 1 pat f => read=f
grep --include '*.go' --exclude-dir=x -R pat d => read-tree=d
grep -rl pat . --include=*.ts => read-tree=.
rg pat => read-tree .
rg pat src -g '*.ts' -A3 => read-tree=src
rg --pre ./x pat => exec=./x; read-tree .
rg --pre=./x -e a d => exec=./x; read-tree=d
rg --hostname-bin ./x pat d => exec=./x; read-tree=d
rg --files src => list=src
rg --type-list => nothing
ag pat src --pager ./x => shell=./x; read-tree=src
ag -g pat => read-tree .
sed -n 1p f =>
sed -f s f => read=s
awk -F: '{print $1}' f =>
awk -f s -v a=1 f => read=s
diff -u a b => read=a; read=b
diff -ru d e => read-tree=d; read-tree=e
diff -U 3 -x node_modules a b => read=a; read=b
cmp -n 10 a b => read=a; read=b
patch -p1 -i f => read=f; write-tree .
patch a f => write=a; read=f
patch -d sub -o out a f => chdir=sub; write=out; read=a; read=f
less f => read=f
less -o log f => write=log; read=f
less '+!x' f => unknown process; read=f
man ls =>
man -P ./x ls => shell=./x
man -H./x ls => shell=./x
man -l f => read=f
xxd a b => read=a; write=b
xxd -r -p a => read=a
jq . f => read=f
jq -r --arg a b '.x' f => read=f
jq --slurpfile a s.json . f => read=s.json; read=f
jq -n --argjson x 1 '$x' =>
jq -f filter f => read=filter; read=f
yq -i '.a=1' f => write=f
yq eval '.a' f => read=f
xmllint --noout f => from=f
file -b f => read=f
fd pat src => list=src
fd -e js -x rm => command each=rm; list .
fzf --preview 'cat {}' => shell=cat {}
fzf --bind 'enter:execute(x)' => unknown process,file,network
tree -L 2 d => list=d
tree -o out d => write=out; list=d
rename 's/a/b/' f => move=f; write-tree .
rename -n 's/a/b/' f => move=f; drop file.write,file.delete
dos2unix f => write=f
iconv -f latin1 -t utf-8 -o out f => write=out; read=f
bat -l json f => read=f
`)
}

func TestWrappers(t *testing.T) {
	checkFilled(t, `
sudo -u me -E A=1 cmd -u x => set-env=A=1; command=cmd
sudo -nH cmd => command=cmd
sudo -e f => exec editor; write=f
sudo -l cmd =>
doas -u me cmd => command=cmd
su - me -c 'x y' => exec $SHELL; shell=x y
nice -n 5 cmd -n 6 => command=cmd
nohup cmd a => command=cmd
timeout -k 5 10s cmd -k x => command=cmd
timeout --signal=KILL 10 cmd => command=cmd
sshpass -p x ssh h => command=ssh
sshpass -px ssh h => command=ssh
sshpass -f pw -v ssh h => read=pw; command=ssh
sshpass -e ssh h => command=ssh
time -p cmd => command=cmd
time -o f cmd => write=f; command=cmd
stdbuf -oL cmd => command=cmd
setsid -f cmd => command=cmd
ionice -c 3 cmd => command=cmd
ionice -c3 -p 12 =>
taskset -c 0 cmd => command=cmd
flock f cmd a => write=f; command=cmd
flock -n f -c 'x y' => write=f; shell=x y
flock f -c 'x y' => write=f; shell=x y
script -c 'x y' f => shell=x y; write=f
script -q f => write=f; exec $SHELL
watch -n 1 'x | y' => shell=x | y
watch -n1 x y => command=x
strace -f -o out -e trace=file cmd -o x => write=out; command=cmd
strace -p 12 =>
gdb -batch -ex run --args cmd a => code gdb=run; command=cmd
gdb -x script cmd => script gdb=script; exec=cmd
perf record -g -o out cmd -o x => write out; command=cmd
hyperfine -w 3 --export-json o 'a b' 'c d' => write=o; shell=a b; shell=c d
entr -s 'x y' => shell=x y
entr -r make => command=make
chroot --userspec=me d cmd a => root=d; command=cmd
systemd-run --user --unit=x -p MemoryMax=1G cmd => command=cmd
systemd-run -E A=1 --on-calendar=daily cmd => set-env=A=1; command=cmd
direnv exec d cmd a => env-file d/.envrc; script bash d/.envrc; list=d; command=cmd
screen -S n -dm cmd a => command=cmd
tmux new -d -s n 'x y' => exec $SHELL; shell=x y
tmux send-keys -t n ls Enter => unknown process,file,network
tmux run-shell ./x => shell=./x
crontab -l =>
crontab -e => exec editor; write /var/spool/cron/crontabs
crontab f => read=f; write /var/spool/cron/crontabs; unknown process,file,network,environment
at -f s now => script sh=s; write /var/spool/cron/atjobs
expect -c 'spawn x' => code expect=spawn x
sponge f => write=f
proxychains4 -q -f c curl => read=c; command=curl
`)
}

func TestShellsAndInterpreters(t *testing.T) {
	checkFilled(t, `
bash -c 'a b' =>
bash -lc 'a b' => script bash $HOME/.bash_profile; script bash $HOME/.bash_login; script bash $HOME/.profile
bash -i => script bash $HOME/.bashrc
bash --rcfile f -i => script bash=f
bash --init-file f => script bash=f
bash -euo pipefail s.sh -x =>
zsh -c x => script zsh $HOME/.zshenv
zsh -f -c x =>
fish -N -c x => code fish=x
python3 s.py -c x => script python=s.py
python3 -c 'x' -m y => code python=x
python3 -m pip install x => module python=pip
python3 -W ignore -X dev -u s.py a => script python=s.py
python3 -Bm http.server 80 => module python=http.server
python3 => stdin python
python3 - a b => stdin python
python3 --version => nothing
python3 -V => nothing
node s.js --eval x => script node=s.js
node -e 'x' a => code node=x
node --eval=x => code node=x
node -p 1+1 => code node=1+1
node --print=1+1 => code node=1+1
node -r ./h.js s.js => script node=./h.js; script node=s.js
node --require=./h.js --import ./i.mjs s.js => script node=./h.js; script node=./i.mjs; script node=s.js
node --env-file=.env s.js => env-file=.env; script node=s.js
node --inspect=0.0.0.0:9229 s.js => listen 0.0.0.0:9229; script node=s.js
node --check s.js => read=s.js
node --test a.test.js b.test.js => script node=a.test.js; script node=b.test.js
node --run build => shell npm run build
node --max-old-space-size 4096 s.js => script node=s.js
node --watch s.js => script node=s.js
node -v => nothing
node => stdin node
ruby -e 'x' f => code ruby=x; read=f
ruby -r./a -I lib s.rb x => script ruby=./a; list=lib; script ruby=s.rb
perl -pi -e 's/a/b/' f g => code perl=s/a/b/; write=f; write=g
perl -i.bak -pe 's/a/b/' f => code perl=s/a/b/; write=f
perl -ne 'print' f => code perl=print; read=f
perl -MData::Dumper -e 'x' => code perl=x
perl -0777 -lane 'x' f => code perl=x; read=f
perl s.pl -e x => script perl=s.pl
php -r 'x' => code php=x
php -S 0.0.0.0:80 -t pub => listen=0.0.0.0:80; list=pub
php -d a=1 s.php x => script php=s.php
php -l s.php => read=s.php
lua -e 'x' s.lua => code lua=x; script lua=s.lua
Rscript -e 'x' => code R=x
java -cp lib -Xmx1g -jar a.jar -cp b => script java=a.jar
java -Da=b -javaagent:x.jar Main => unknown process,file,network; script java=Main
`)
}

func TestSystem(t *testing.T) {
	checkFilled(t, `
apt-get install -y curl => registry @debian; write-tree /var/lib/dpkg; write-tree /usr; write-tree /etc; unknown process,file,network
apt-get -s install curl => registry @debian; write-tree /var/lib/dpkg; write-tree /usr; write-tree /etc; unknown process,file,network; drop file.write,file.delete,network
apt-get update => registry @debian; write-tree /var/lib/apt/lists
apt-get -o DPkg::Pre-Invoke::=./x update => shell=./x; registry @debian; write-tree /var/lib/apt/lists
apt list --installed =>
dpkg -l =>
dpkg -i a.deb => read=a.deb; write-tree /var/lib/dpkg; write-tree /usr; unknown process,file,network
dpkg -x a.deb d => read-tree=a.deb; write-tree d
kill -9 12 =>
pkill -f name =>
ps aux =>
ps -eo pid,cmd --sort=-pcpu =>
top -b -n 1 =>
lsof -i :80 =>
systemctl status x =>
systemctl --user enable x => write-tree /etc/systemd; write-tree $XDG_CONFIG_HOME/systemd/user
systemctl restart x => unknown process,file,network
service x status =>
service x restart => unknown process,file,network
journalctl -u x -n 50 --no-pager =>
journalctl --vacuum-time=1d => delete-tree /var/log/journal
vim f => write=f
vim -c 'wq' f => code vim=wq; write=f
vim +42 f => write=f
vim +/pattern f => write=f
vim + f => write=f
vim +1 '+!x' f => unknown process,file,network; write=f
vim +wq f => unknown process,file,network; write=f
nvim -l s.lua a => script lua=s.lua; write=a
vim -S s.vim => script vim=s.vim
vim -es -u NONE f => stdin vim; script vim=NONE; write=f
nano -w f => write=f
emacs --batch -l s.el f => script elisp=s.el; write=f
emacs --eval '(x)' => code elisp=(x)
code . => write-tree=.
code --diff a b => read=b
sqlite3 a.db => write=a.db; stdin sqlite
sqlite3 a.db '.shell x' => write=a.db; unknown process,file
sqlite3 a.db 'select 1' => write=a.db
sqlite3 -readonly a.db 'select 1' => read=a.db
sqlite3 -init f a.db 'x' => read=f; unknown process,file; write=a.db
psql -h db.example -c 'select 1' => send db.example
psql -h db.example -c '\! x' => send db.example; unknown process,file
psql -f f -o out -h db.example => read=f; unknown process,file; write=out; send db.example
pg_dump -h db.example -f out mydb => fetch db.example; write-tree=out
mysql -h db.example -ppw -e 'select 1' mydb => send db.example
mysql -h db.example -e 'system x' => send db.example; unknown process,file
redis-cli -h r.example get k => send r.example
gpg -o out -d f.gpg => write=out; read=f.gpg; read-tree $HOME/.gnupg
gpg -e -r me f => read=f; read-tree $HOME/.gnupg; write f.gpg
gpg --armor --export me => read-tree $HOME/.gnupg
gpg --keyserver hkps://k.example --recv-keys ABC => send hkps://k.example; fetch @keyserver; write-tree $HOME/.gnupg
gpg --import f => read=f; write-tree $HOME/.gnupg
mount /dev/sdb1 /mnt => write-tree=/mnt
useradd -m -s /bin/bash me => write /etc/passwd; write /etc/shadow; write /etc/group
hostname =>
sysctl -w a=1 => write-tree /proc/sys
open https://h.example => exec open; fetch=https://h.example
open f => exec open; read=f
brew install x => fetch @brew; write-tree /opt/homebrew; unknown process,file,network
`)
}
