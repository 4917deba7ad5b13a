package models_test

import "testing"

func TestMediaAndDesktop(t *testing.T) {
	checkFilled(t, `
ffmpeg -i a.mp4 -c:v libx264 -crf 23 -an b.mp4 => from=a.mp4; to=b.mp4
ffmpeg -y -ss 10 -i a.mp4 -vf scale=1:2 -map 0:v b.webm => from=a.mp4; to=b.webm
ffmpeg -f concat -safe 0 -i list out.mp4 => from=list; to=out.mp4; unknown file
ffmpeg -i http://h.example/a -f null - => from=http://h.example/a; to=-
ffmpeg -hide_banner -encoders => nothing
ffprobe -v error -show_entries stream=width -of json a.mp4 => from=a.mp4
magick a.png -resize 50% b.jpg => from=a.png; to=b.jpg
convert a.png -crop 1x1+0+0 +repage -strip b.png => from=a.png; to=b.png
magick identify -verbose a.png => from=a.png
magick mogrify -resize 50% a.png => write=a.png
mogrify -path out -format jpg a.png => write-tree=out; write=a.png
exiftool a.jpg => read-tree=a.jpg
exiftool -Artist=me a.jpg => read-tree=a.jpg; write a.jpg
exiftool -all= -overwrite_original a.jpg => read-tree=a.jpg; write a.jpg; write a.jpg
pdftotext -f 1 -l 2 a.pdf b.txt => read=a.pdf; write=b.txt
pdftotext a.pdf => read=a.pdf; write-tree .
pandoc a.md -o b.pdf => from=a.md; write=b.pdf
pandoc -F ./x --lua-filter=f.lua -s a.md -t html => unknown process,file,network; script lua=f.lua; from=a.md
pandoc --pdf-engine ./x -o o.pdf a.md => exec=./x; write=o.pdf; from=a.md
dot -Tpng -o out.png in.dot => write=out.png; read=in.dot
dot -Tpng in.dot -oout.png => write=out.png; read=in.dot
gs -sDEVICE=pdfwrite -sOutputFile=out.pdf -dBATCH a.ps => write=out.pdf; script postscript=a.ps
gs -o out.pdf -sDEVICE=pdfwrite a.ps => write=out.pdf; script postscript=a.ps
qpdf a.pdf b.pdf => read=a.pdf; write=b.pdf
xclip -sel clip f => read=f
xclip -o =>
xsel -b =>
xdg-open https://h.example => exec xdg-open; from=https://h.example
gio trash f => move=f; write-tree $XDG_DATA_HOME/Trash
gio open f => exec xdg-open; from=f
gsettings get a b =>
gsettings set a b c => write-tree $XDG_CONFIG_HOME
notify-send title text =>
alacritty -e vim f => command=vim; exec $SHELL
libreoffice --headless --convert-to pdf --outdir out a.odt => write-tree=out; write-tree out; read=a.odt
soffice --headless --convert-to pdf a.odt => write-tree .; read=a.odt
lp -d p f => read=f; send @cups
lpstat -p =>
ip addr show =>
ip netns exec ns curl x => command=curl
netstat -tulpn =>
netstat -r => fetch *
iptables -L -n =>
iptables -L => fetch *
iptables -A INPUT -p tcp --dport 22 -j ACCEPT =>
iptables-save -f out => write=out
ufw status => write-tree /etc; drop file.write
sleep 5 =>
expr 1 + 1 =>
hashid x =>
adb push a /sdcard => read-tree=a
adb pull /sdcard/a b => write-tree=b
adb pull /sdcard/a => write-tree .
`)
}
