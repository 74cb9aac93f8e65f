# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of assay for bash. Names come from the program itself, so that they are those it has.

_assay_names() { # TOPIC: the first words of a help's lines
	assay help "$1" 2>/dev/null | sed -n 's/^ \{0,2\}\([a-z][a-z0-9_-]*\)  .*/\1/p'
}

_assay_options() { # COMMAND
	assay help "$1" 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u
}

_assay_parameters() { # PHASE
	assay help "$1" 2>/dev/null | sed -n "/^parameters:/,/^$/s/^  \([a-z_]*\)  .*/$1.\1=/p"
}

_assay_labels() {
	assay list --format csv 2>/dev/null | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "label") c = i; next }
		c && $c != "" { print $c }' | sort -u
}

_assay() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "run certify sweep compare list show import export annotate delete merge info help" -- "$cur")
		return
	fi
	case $prev in
	--profile) mapfile -t COMPREPLY < <(compgen -W "$(_assay_names profiles)" -f -- "$cur") ;;
	--phases | --phase) mapfile -t COMPREPLY < <(compgen -W "$(_assay_names phases) files patterns orion durability all" -- "$cur") ;;
	--set)
		case $cur in
		*.*) mapfile -t COMPREPLY < <(compgen -W "$(_assay_parameters "${cur%%.*}")" -- "$cur") ;;
		*) mapfile -t COMPREPLY < <(compgen -W "$(_assay_names phases)" -S . -- "$cur") ;;
		esac
		compopt -o nospace
		;;
	--engine) mapfile -t COMPREPLY < <(compgen -W "auto sync libaio io_uring null" -- "$cur") ;;
	--io) mapfile -t COMPREPLY < <(compgen -W "direct buffered" -- "$cur") ;;
	--format) mapfile -t COMPREPLY < <(compgen -W "text markdown csv json html" -- "$cur") ;;
	--by) mapfile -t COMPREPLY < <(compgen -W "scheduler kernel filesystem host device label block_size queue_depth" -- "$cur") ;;
	--axis) mapfile -t COMPREPLY < <(compgen -W "scheduler= nr_requests= read_ahead_kb= nomerges= wbt_lat_usec= io= engine= jobs= cpus=" -- "$cur") && compopt -o nospace ;;
	--run | --baseline) mapfile -t COMPREPLY < <(compgen -W "latest $(_assay_labels)" -- "$cur") ;;
	--db | --output | -o | --wal-dir | --erase) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	*)
		case $cur in
		-*) mapfile -t COMPREPLY < <(compgen -W "$(_assay_options "$command")" -- "$cur") ;;
		*)
			case $command in
			help) mapfile -t COMPREPLY < <(compgen -W "phases engines profiles $(_assay_names phases)" -- "$cur") ;;
			show | compare | export | annotate | delete | list) mapfile -t COMPREPLY < <(compgen -W "latest $(_assay_labels)" -- "$cur") ;;
			*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
			esac
			;;
		esac
		;;
	esac
}
complete -F _assay assay
