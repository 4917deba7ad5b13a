package models_test

import "testing"

// The expected steps are written from the manual pages.

func TestCoreutils(t *testing.T) {
	checkFilled(t, `
cat a b => read=a; read=b
cat -n -- -x => read=-x
tac -s , a => read=a
ls => list .
ls -la src => list=src
ls --color=always -I '*.o' src => list=src
ls -p --indicator-style slash src => list=src
cp a b => read=a; put=b
cp -r a b => read-tree=a; put-tree=b
cp -a a b c d => read-tree=a; read-tree=b; read-tree=c; put-tree=d
cp --recursive a b => read-tree=a; put-tree=b
cp --recurs a b => read-tree=a; put-tree=b
cp -t dst a b => put dst; read=a; read=b
cp -rt dst a => put-tree dst; read-tree=a
cp --target-directory=dst a => put dst; read=a
cp -S .bak a b => read=a; put=b
cp --suffix=.bak -b a b => read=a; put=b
cp -s a b => link=a; put-link=b
cp -l a b => link=a; put-hard=b
cp -al a b => link=a; put-hard=b
cp -lt d a => put-hard d; link=a
cp --help => nothing
mv a b => move=a; put-moved=b
mv -f a b dir => move=a; move=b; put-moved=dir
mv -t dir a b => put-moved dir; move=a; move=b
ln -s target => put-link .; link=target
ln target => put-hard .; link=target
ln a b => link=a; put-hard=b
ln -s ../x/target => put-link .; link=../x/target
ln -sf target name => link=target; put-link=name
ln -s -t dir a b => put-link dir; link=a; link=b
ln -t dir a => put-hard dir; link=a
rm a => delete=a
rm -rf a b => delete-tree=a; delete-tree=b
rm --recursive -- -x => delete-tree=-x
rmdir -p a/b => delete=a/b
mkdir -p a/b -m 700 => write=a/b
mkdir --mode=700 a => write=a
touch -d yesterday a b => touch=a; touch=b
touch -r ref a => list=ref; touch=a
touch -t 202001010000 a => touch=a
chmod 644 a b => mode=a; mode=b
chmod +x a => mode=a
chmod -x a => mode=a
chmod -rw a => mode=a
chmod -R u+w d => mode-tree=d
chmod -R -w d => mode-tree=d
chmod --reference=r a => list=r; mode=a
chmod --reference r -R a => list=r; mode-tree=a
chown -R me:me d e => mode-tree=d; mode-tree=e
chown --from=root me a => mode=a
chown --reference=r a => list=r; mode=a
dd if=a of=b bs=1M count=1 => read=a; write=b
dd conv=notrunc of=b => write=b
dd --help => nothing
install -m 755 a b => read=a; put=b
install -d a b => write=a; write=b
install -t dir a b => put dir; read=a; read=b
install -s --strip-program=./st a b => exec=./st; read=a; put=b
truncate -s 0 a => write=a
truncate -r ref a => list=ref; write=a
shred -u a => delete=a
shred -n 3 a => write=a
mktemp => write $TMPDIR
mktemp -d => write $TMPDIR
mktemp ./x.XXXX => write=./x.XXXX
mktemp -p dir => write dir
mktemp -d -t name.XXX => write $TMPDIR
sort a b => read=a; read=b
sort -o out a => write=out; read=a
sort -oout a => write=out; read=a
sort --output=out a => write=out; read=a
sort --output out a => write=out; read=a
sort --out=out a => write=out; read=a
sort --out out a => write=out; read=a
sort -uo out a => write=out; read=a
sort -ou a => write=u; read=a
sort a -o out => read=a; write=out
sort -- a -o => read=a; read=-o
sort -k 2,3 -t , a => read=a
sort -k2 -t, -S 1G a => read=a
sort -T dir a => write-tree=dir; read=a
sort --compress-program=./z a => exec=./z; read=a
sort --files0-from=list => read=list; unknown file
sort --random-source=r -R a => read=r; read=a
sort -c a => read=a
uniq -c =>
uniq a b => read=a; write=b
uniq -f 1 a => read=a
shuf -n 1 a => read=a
shuf -o out a => write=out; read=a
shuf -e a b =>
split -l 100 big => read=big; write xaa
split -b 1M big part => read=big; write=part
split --filter=./f big => shell=./f; read=big
csplit -f pre a /x/ => read=a; write pre00
tee a => write=a
tee -a log.txt => write=log.txt
head -n 5 a => read=a
head -5 a => read=a
tail -f a => read=a
tail -n +2 a => read=a
tail --pid 12 -c 10 a b => read=a; read=b
wc -l a => read=a
wc --files0-from=l => read=l; unknown file
cut -d , -f 1 a => read=a
cut -d: -f1 /etc/passwd => read=/etc/passwd
paste -d , a b => read=a; read=b
join -1 2 -2 1 a b => read=a; read=b
tr a-z A-Z =>
base64 -w 0 a => read=a
base64 -d a => read=a
od -A x -t x1z a => read=a
sha256sum a b => read=a; read=b
shasum -a 256 a => read=a
md5 -s text =>
du -sh a => list=a
du -d 1 => list .
du --max-depth=1 --exclude node_modules => list .
stat -c %s a => list=a
test -f a =>
echo -n a =>
printf %s a =>
printenv HOME => read-env=HOME
date +%s =>
date -d @1 +%F =>
date -r a => list=a
date -f l => read=l
readlink -f a => list=a
mkfifo p => write=p
ptx -G a b => read=a; write=b
pr -3 -h title a => read=a
`)
}
