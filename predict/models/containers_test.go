package models_test

import "testing"

func TestContainers(t *testing.T) {
	check(t, `
docker ps -a => engine
docker run --rm -it -v /a:/b -e A=b --env-file .env alpine sh -c ls => set-env=A=b; env-file=.env; image=alpine
docker -H tcp://h:2375 run alpine => send=tcp://h:2375; image=alpine
docker container run -d nginx => image=nginx
docker run --name x --cidfile id -p 80:80 img:1 -v x => write=id; image=img:1
docker build -t x . => from=.
docker build -f Dockerfile.x --iidfile id --push . => write=id; send @docker; from=.
docker build -o type=local,dest=out . => from=.
docker buildx build --platform linux/amd64 --load . => from=.
docker image build . => from=.
docker exec -it c sh -c rm => engine
docker cp c:/x out => engine; write-tree=out
docker cp in c:/x => engine; read-tree=in
docker pull alpine => engine; registry @docker
docker push r/x => engine; send @docker
docker save -o x.tar img => write=x.tar; engine
docker load -i x.tar => read=x.tar; engine
docker export c => engine
docker import x.tar => from=x.tar; engine
docker login -u me => send @docker; engine; write $HOME/.docker/config.json
docker logout => write $HOME/.docker/config.json
docker logs -f --tail 5 c => engine
docker rm -fv c => engine
docker system prune -af => engine
docker volume create x => engine
docker network ls --format x => engine
docker context use x => write $HOME/.docker/config.json
docker stack deploy -c x.yml s => read=x.yml; engine
docker secret create s file => engine; read=file
docker compose -f x.yml up -d --build => read=x.yml; engine
docker compose --dry-run up => drop container; engine
docker compose run --rm -e A=b web npm test -e => set-env=A=b; engine
docker compose config -o x => write=x
docker compose logs -f web => engine
docker-compose down -v => engine
docker --version => nothing
docker run --help => nothing
docker frobnicate => missing
podman run -v x:y alpine => image=alpine
podman unshare cat x => command=cat
podman play kube x.yml => from=x.yml; engine; registry @docker
podman ps => engine
nerdctl -n k8s.io images => engine
buildah bud -t x . => from=.
skopeo copy docker://a dir:/x => registry @docker; write-tree .
skopeo inspect docker://a => registry @docker
skopeo copy oci:a docker://b => registry @docker; send @docker
crane ls x => registry @docker
crane push a.tar r/x => read-tree=a.tar; send @docker
crictl ps => engine
ctr images pull x => engine; registry @docker
`)
}
