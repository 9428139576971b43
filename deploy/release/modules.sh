# For other scripts: which modules a program is made of, under which licences, and its
# bill of materials. What is asked depends on GOOS, GOARCH and CGO_ENABLED, as the
# build does.

readonly allowed='MIT|BSD-2-Clause|BSD-3-Clause|Apache-2.0|ISC|MPL-2.0'

# linked_packages MODULE PACKAGE prints path, version and folder of the module, and the
# folder of the package, for every package in the program that is not of this repository.
linked_packages() {
  (cd "$1" && go list -deps -f '{{$folder := .Dir}}{{with .Module}}{{if not .Main}}{{with or .Replace .}}{{.Path}} {{.Version}} {{.Dir}} {{$folder}}{{end}}{{end}}{{end}}' "$2") |
    awk 'NF == 4 && $1 !~ /^(\.|backend\.example)/' | sort -u
}

# linked_modules MODULE PACKAGE prints path, version and folder of every module.
linked_modules() { linked_packages "$@" | cut -d ' ' -f 1-3 | sort -u; }

# licence FOLDER names the licence of the module there by its licence file; names such as
# LICENSE-3RD-PARTY, which speak of others, count only where there is no plain one.
licence() {
  local text name='\(licen[cs]e\|copying\|unlicense\)'
  for name in "$name\(\.[a-z]*\)?" "$name.*"; do
    text=$(find "$1" -maxdepth 1 -type f -iregex ".*/$name" -print0 | sort -z | xargs -r -0 cat | tr -s '[:space:]' ' ')
    [[ -z $text ]] || break
  done
  case $text in
    *'Mozilla Public License'*) echo MPL-2.0 ;;
    *'GNU '*'GENERAL PUBLIC LICENSE'*) echo GPL ;;
    *'Apache License'*'Version 2.0'*) echo Apache-2.0 ;;
    *'Permission is hereby granted, free of charge'*) echo MIT ;;
    *'Redistribution and use in source and binary forms'*[Nn]'either the name'* | *'Redistribution and use in source and binary forms'*'ames of its contributors'*) echo BSD-3-Clause ;;
    *'Redistribution and use in source and binary forms'*) echo BSD-2-Clause ;;
    *'Permission to use, copy, modify, and'*'distribute this software'*) echo ISC ;;
    *) echo unknown ;;
  esac
}

# bom_tool FOLDER puts the tool that bom asks into FOLDER. It writes the sums of its own
# bytes into every bill, so they must not depend on where it was built.
bom_tool() {
  (cd .tools && GOOS='' GOARCH='' CGO_ENABLED=0 GOFLAGS='' go build -trimpath -buildvcs=false \
    -o "$1/" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod)
}

# bom TOOLS BINARY FILE [VERSION] writes the CycloneDX bill of materials of a program.
bom() {
  local said
  said=$("$1/cyclonedx-gomod" bin -json -noserial -notimestamp -std ${4:+-version "$4"} -output "$3" "$2" 2>&1) ||
    { echo "$said" >&2; return 1; }
}
