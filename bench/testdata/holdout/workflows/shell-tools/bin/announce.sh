#!/bin/bash
hosts=(chat.example.test mail.example.test)
send() { local h=$1; curl -fsS --max-time 3 -d @- "https://$h/hook" <<< "{\"text\": \"$2\"}" || true; }
for h in "${hosts[@]}"; do send "$h" "released"; done
