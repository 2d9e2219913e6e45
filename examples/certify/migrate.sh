#!/usr/bin/env bash
# Imports the accounts of JSON Lines, without businesses and items, with curl and jq. It survives kills and lost answers:
# npx data-import-sdk certify --input accounts.jsonl -- bash migrate.sh
set -uo pipefail
base="$DATA_IMPORT_BASE_URL/v1/data-import"
journal="$DATA_IMPORT_RUN/journal"
answer="$DATA_IMPORT_RUN/answer"
left=0

exec 9>> "$journal"
flock -n 9 || { echo 'The script is running already.'; exit 1; }

has() { grep -qxF -- "$1" "$journal"; }
note() { printf '%s\n' "$1" >&9; }

# call METHOD PATH [BODY]: sets `status`; 000 without an answer. The token is no argument: other users see those.
call() {
  local data=()
  [ $# -lt 3 ] || data=(--data-binary "$3" -H 'Content-Type: application/json')
  status=$(curl -s --max-time "$DATA_IMPORT_TIMEOUT" -X "$1" -o "$answer" -w '%{http_code}' "${data[@]}" \
    -H @<(printf 'Authorization: Token %s' "$DATA_IMPORT_TOKEN") "$base/$2") || status=000
  if [ "$status" = 429 ]; then sleep 1.1; call "$@"; fi
  if [ "$status" = 401 ]; then echo 'The token has ended.'; exit 1; fi
}

# create NUMBER SUPPLIER ACCOUNT: fails if the account is not created, or if that is not known.
create() {
  if has "sent $1"; then
    # The former request may still be running.
    sleep "$DATA_IMPORT_IN_FLIGHT_GRACE"
    call GET "account-transfer-status/$2/$1/"
    [ "$status" = 200 ] || return 1
    case $(jq -r '.status + " " + (.service_account_number // "")' "$answer") in
      'UNKNOWN '*) ;;
      *' ') return 1 ;;
      *) return 0 ;;
    esac
  fi
  call POST account-import-process/create-or-update/ "$3"
  [[ $status = 20[01] ]] || return 1
  note "sent $1"
  call POST account-import-process/process/ \
    "$(jq -nc --arg n "$1" --arg s "$2" --arg t "$DATA_IMPORT_TEAM" \
      '{external_account_number: $n, import_supplier_code: $s, operations_team_name: $t}')"
  [ "$status" = 201 ] && jq -e .service_account_number "$answer" > /dev/null
}

while IFS= read -r line; do
  number=$(jq -r '.account.external_account_number // empty' <<< "$line")
  [ -n "$number" ] && ! has "done $number" || continue
  if create "$number" "$(jq -r .account.import_supplier <<< "$line")" "$(jq -c .account <<< "$line")"; then
    note "done $number"
  else
    left=1
    echo "$number is not imported: $status"
  fi
done < "$DATA_IMPORT_INPUT"
exit $left
