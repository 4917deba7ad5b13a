package predict_test

// reachEvaluated are ways by which bash runs a substitution although it stands in quotes; each was confirmed with bash 5.2.
const reachEvaluated = `x='$(echo > S!)'; echo "${x@P}"
x='a[$(echo > S!)]'; echo "${!x}"
x='a[$(echo > S!)]'; echo ${!x:-z}
printf -v 'a[$(echo > S!)]' y
x='a[$(echo > S!)]'; printf -v "$x" y
printf -v'a[$(echo > S!)]' y
a=(1); unset 'a[$(echo > S!)]'
a=(1); unset -v 'a[$(echo > S!)]'
read 'a[$(echo > S!)]' <<<x
read -r 'a[$(echo > S!)]' <<<x
sleep 0 & wait -n -p 'a[$(echo > S!)]'
declare -n r='a[$(echo > S!)]'; echo $r
declare -n r='a[$(echo > S!)]'; r=1
declare 'a[$(echo > S!)]=1'
declare -a 'a[$(echo > S!)]=1'
typeset 'a[$(echo > S!)]=1'
declare -i x='a[$(echo > S!)]'
declare -i x; x='a[$(echo > S!)]'
f() { local -i x='a[$(echo > S!)]'; }; f
f() { local 'a[$(echo > S!)]=1'; }; f
[ -v 'a[$(echo > S!)]' ]
let 'a[$(echo > S!)]=1'
x='a[$(echo > S!)]'; a=([x]=1)
x='a[$(echo > S!)]'; a[x]=1
x='a[$(echo > S!)]'; echo ${a[x]}
declare -a 'a=([$(echo > S!)]=1)'
declare -a 'a=($(echo > S!))'
local_x='($(echo > S!))'; declare -a a="$local_x"
x='$(echo > S!)'; for i in "${x@P}"; do :; done
a=('$(echo > S!)'); echo "${a[@]@P}"
set -- '$(echo > S!)'; echo "${@@P}"
x=1; case x in "${x:a[$(echo > S!)]}") ;; esac
OPTIND='a[$(echo > S!)]'; getopts a b
RANDOM='a[$(echo > S!)]'
HISTCMD='a[$(echo > S!)]'; BASHPID='a[$(echo > S!)]'
[[ -v 'a[$(echo > S!)]' ]]
[[ 1 -lt 'a[$(echo > S!)]' ]]
`

// reachFed are programs that are given what no plan follows.
const reachFed = `awk '{print | "sh"}' list
awk '{print $1 |& "sh -s"}' list
awk "{ printf \"%s\", \$0 | \"bash\" }" list
git grep -Osh x
git grep --open-files-in-pager=sh x
screen -X exec sh x
screen -S main -X stuff 'sh x'
`
