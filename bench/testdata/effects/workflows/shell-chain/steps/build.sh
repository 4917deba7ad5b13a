mkdir -p out
VERSION=$(cat VERSION) node src/build.js
