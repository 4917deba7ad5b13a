package gitrepo

// builtins lists the commands of git itself (git --list-cmds=main, versions 2.39 to 2.54), sorted.
const builtins = `
add add--interactive am annotate apply archive backfill bisect bisect--helper blame branch bugreport bundle cat-file 
check-attr check-ignore check-mailmap check-ref-format checkout checkout--worker checkout-index cherry cherry-pick 
clean clone column commit commit-graph commit-tree config count-objects credential credential-cache 
credential-cache--daemon credential-store daemon describe diagnose diff diff-files diff-index diff-pairs diff-tree 
difftool difftool--helper env--helper fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg 
for-each-ref for-each-repo format-patch fsck fsck-objects fsmonitor--daemon gc get-tar-commit-id grep hash-object 
help history hook http-backend http-fetch http-push imap-send index-pack init init-db instaweb interpret-trailers 
last-modified log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index 
merge-octopus merge-one-file merge-ours merge-recursive merge-recursive-ours merge-recursive-theirs merge-resolve 
merge-subtree merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant 
pack-refs patch-id pickaxe prune prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog 
refs remote remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https repack replace replay repo 
request-pull rerere reset restore rev-list rev-parse revert rm send-pack sh-i18n--envsubst shell shortlog show 
show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule submodule--helper subtree 
switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive 
upload-archive--writer upload-pack url-parse var verify-commit verify-pack verify-tag version web--browse whatchanged 
worktree write-tree `
