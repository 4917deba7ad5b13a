package models_test

import "testing"

func TestCloud(t *testing.T) {
	check(t, `
gh pr list --json title -L 3 => fetch @github; credential $XDG_CONFIG_HOME/gh/hosts.yml
gh -R o/r pr view 3 => fetch @github; credential $XDG_CONFIG_HOME/gh/hosts.yml
gh pr create --fill --body-file b.md => read=b.md; send @github; credential $XDG_CONFIG_HOME/gh/hosts.yml; exec git; write-tree .git
gh pr checkout 3 => fetch @github; exec git; write-tree .; write-tree .git
gh pr merge 3 --squash -d => send @github; credential $XDG_CONFIG_HOME/gh/hosts.yml; exec git; write-tree .git
gh api repos/o/r => fetch @github; credential $XDG_CONFIG_HOME/gh/hosts.yml
gh api -X POST repos/o/r/issues -f title=x => fetch @github; send @github; credential $XDG_CONFIG_HOME/gh/hosts.yml
gh api graphql --input q.json => read=q.json; fetch @github; send @github; credential $XDG_CONFIG_HOME/gh/hosts.yml
gh repo clone o/r => fetch @github; exec git; write-tree {1.repo}
gh repo clone o/r dir -- --depth 1 => fetch @github; exec git; write-tree=dir
gh release download v1 -D out => write-tree=out; fetch @github
gh release create v1 a.zip --notes-file n => read=n; read=a.zip; send @github
gh auth token => read $XDG_CONFIG_HOME/gh/hosts.yml
gh alias set co x => write $XDG_CONFIG_HOME/gh/config.yml
gh extension install o/x => fetch @github; write-tree $XDG_DATA_HOME/gh/extensions
gh run view 1 --log => fetch @github
gh workflow run ci.yml => fetch @github; send @github; credential $XDG_CONFIG_HOME/gh/hosts.yml
gh secret list => fetch @github; credential $XDG_CONFIG_HOME/gh/hosts.yml
gh --version => nothing
gh nosuch => missing
aws s3 cp a.txt s3://b/k --acl private => read-tree=a.txt; send @aws; credential $HOME/.aws/credentials
aws s3 cp s3://b/k out --profile p => write-tree=out; send @aws; credential $HOME/.aws/credentials
aws s3 sync s3://b s3://c => send @aws; credential $HOME/.aws/credentials
aws --profile p s3 ls s3://b => send @aws; credential $HOME/.aws/credentials
aws ec2 describe-instances --filters x --query y => send @aws; credential $HOME/.aws/credentials
aws configure set region x => write $HOME/.aws/config; write $HOME/.aws/credentials
aws s3api get-object --bucket b --key k out => send @aws; credential $HOME/.aws/credentials; write {$}
aws --version => nothing
gcloud config set project x => write-tree $XDG_CONFIG_HOME/gcloud
gcloud storage cp a gs://b => read-tree=a; send @gcloud; credential $XDG_CONFIG_HOME/gcloud/credentials.db
gsutil -m cp -r gs://b/x . => write-tree=.; send @gcloud; credential $XDG_CONFIG_HOME/gcloud/credentials.db
gcloud projects list --format json => send @gcloud; credential $XDG_CONFIG_HOME/gcloud/credentials.db
az group list -o table => send @azure; credential $HOME/.azure/msal_token_cache.json
terraform init -upgrade => fetch @terraform; write-tree .terraform; write .terraform.lock.hcl
terraform -chdir=infra plan -out=p --var-file v.tfvars => chdir=infra; write=p; read=v.tfvars; fetch *; read-tree .; unknown process,file
terraform apply -auto-approve => send *; write-tree .; unknown process,file,network
terraform fmt -check => write-tree .; drop file.write
terraform validate =>
terraform workspace list =>
terraform workspace new x => send *; write-tree .
tofu -version => nothing
pulumi stack ls => send @pulumi; write-tree $HOME/.pulumi
vault login x => send @vault; write $HOME/.vault-token
sops -d s.yaml => read=s.yaml
sops -i -e s.yaml => write {1}; read=s.yaml
sops s.yaml => write {1}; exec vi; read=s.yaml
age -d -i key -o out in => read=key; write=out; read=in
restic -r /b backup x => to=/b; read-tree=x
act -l => nothing
doctl version => nothing
`)
}

func TestKubernetes(t *testing.T) {
	check(t, `
kubectl get pods -n x -o yaml => fetch @kubernetes; credential $HOME/.kube/config
kubectl -n x logs -f pod --tail=5 => fetch @kubernetes; credential $HOME/.kube/config
kubectl apply -f a.yaml -f https://h.example/b.yaml => from=a.yaml; from=https://h.example/b.yaml; send @kubernetes; credential $HOME/.kube/config
kubectl apply --dry-run=client -f a.yaml => from=a.yaml; send @kubernetes; credential $HOME/.kube/config; drop network
kubectl exec -it pod -- sh -c x => send @kubernetes; credential $HOME/.kube/config
kubectl cp ns/pod:/x out => write-tree=out; send @kubernetes; credential $HOME/.kube/config
kubectl cp in pod:/x => read-tree=in; send @kubernetes; credential $HOME/.kube/config
kubectl port-forward svc/x 8080:80 => send @kubernetes; listen 127.0.0.1; credential $HOME/.kube/config
kubectl config use-context x => write $HOME/.kube/config
kubectl config view => read $HOME/.kube/config
kubectl --kubeconfig k config set-context x => read=k; write {--kubeconfig}
kubectl kustomize overlays/x -o out => from=overlays/x; write-tree=out
helm install x ./chart -f v.yaml --set a=b => from=./chart; from=v.yaml; send @kubernetes; credential $HOME/.kube/config; registry @helm
helm template x ./chart --output-dir o => from=./chart; write-tree=o; registry @helm
helm repo add x https://c.example => fetch=https://c.example; write-tree $XDG_CONFIG_HOME/helm
helm create c => write-tree=c
helm list -A => fetch @kubernetes; credential $HOME/.kube/config
kustomize build . => from=.
kind create cluster --config k.yaml => read=k.yaml; exec docker; write $HOME/.kube/config; registry @docker
minikube version =>
helm version =>
argocd version => nothing
`)
}
