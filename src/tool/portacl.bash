# SPDX-License-Identifier: Apache-2.0
# Completion of the command portacl for bash. Written by tools/tool_reference. Operators and their arguments are asked of the program.
_portacl() {
  local tool=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-} operator=${COMP_WORDS[2]:-} word=${COMP_WORDS[COMP_CWORD]} options=''
  case $command in
    info) options='--help --json' ;;
    ops) options='--help --json --soc --names' ;;
    run) options='--help --json --soc --dtype --shape --repeat --verify' ;;
    bench) options='--help --json --soc --seconds --size --dtype --threads --ranks' ;;
    accuracy) options='--help --json --soc --seconds' ;;
    missing) options='--help --json' ;;
    trace) options='--help --json' ;;
    version) options='--help --json' ;;
    doctor) options='--help --json' ;;
  esac
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W 'info ops run bench accuracy missing trace version doctor --help --version' -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $COMP_CWORD -eq 2 && $command =~ ^(run|ops|bench|accuracy)$ ]]; then
    COMPREPLY=($("$tool" ops --names 2> /dev/null | grep -iE "^(aclnn)?$word" 2> /dev/null))
  elif [[ $command == run && $word != *=* && ${COMP_WORDS[COMP_CWORD-1]} != = ]]; then
    COMPREPLY=($(compgen -W "$("$tool" ops "$operator" --names 2> /dev/null)" -- "$word"))
    compopt -o nospace 2> /dev/null
  else
    mapfile -t COMPREPLY < <(compgen -f -- "${word#=}")
  fi
}
complete -o filenames -F _portacl portacl
