#!/bin/bash
# SPDX-License-Identifier: MIT
# bench.sh - assay beside its peers on the same sizes in alternating runs: bench.sh DIRECTORY.
# Machines are noisy, so what is printed is the ratio assay/peer of each pair: its median, low and
# high. PAIRS (5), SIZE_MIB (2048) and SECONDS_EACH (2) can be set; BENCH names what is wanted:
# "bytes blocks small seeks load memory accuracy device null".
set -eu

dir=$(realpath "${1:?a directory to measure in}")
pairs=${PAIRS:-5}
mib=${SIZE_MIB:-2048}
seconds=${SECONDS_EACH:-2}
wanted=${BENCH:-bytes blocks small seeks load memory accuracy device null}
work=$(mktemp -d "$dir/assay-bench.XXXXXX")
zram= loop= large_pages=
give_back() {
	[ -z "$large_pages" ] || echo "$large_pages" >/proc/sys/vm/nr_hugepages
	[ -z "$loop" ] || losetup -d "$loop"
	rm -rf "$work"
	[ -z "$zram" ] || echo "$zram" >/sys/class/zram-control/hot_remove
}
trap give_back EXIT
export ASSAY_DB="$work/archive.db"

# Faults in the memory that the page cache is about to use, for one and the other alike.
warm_memory() {
	head -c "$((mib + 512))m" /dev/zero >/dev/shm/assay-bench.$$
	rm -f /dev/shm/assay-bench.$$
}

note() { echo "$1 $2 $3" >>"$work/pairs"; } # WHAT ASSAY PEER

# Figures of a run by phase and metric; METRIC defaults to the throughput.
figure() { # RUN-SELECTOR PHASE OPERATION METRIC [PARAMETER=VALUE]
	local filter=""
	[ $# -lt 5 ] || filter="and json_extract(parameters,'\$.${5%%=*}')='${5#*=}'"
	sqlite3 "$ASSAY_DB" "select value from results where run_id=(select max(run_id) from runs)
		and phase='$2' and operation='$3' and metric='$4' $filter"
}

summary() { # TITLE
	echo
	echo "$1 ($pairs alternating pairs; ratio assay/peer)"
	printf '%-34s %8s %8s %8s %12s %12s\n' what median low high assay peer
	cut -d' ' -f1 "$work/pairs" | awk '!seen[$0]++' | while read -r what; do
		awk -v w="$what" '$1 == w { print $2 / $3, $2, $3 }' "$work/pairs" | sort -g |
			awk -v w="$what" '{ r[NR] = $1; a += $2; b += $3 }
				END { m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
				printf "%-34s %8.3f %8.3f %8.3f %12.5g %12.5g\n", w, m, r[1], r[NR], a / NR, b / NR }'
	done
	: >"$work/pairs"
}

# Runs the two functions in alternating order, the first pair to get warm.
alternate() { # ASSAY PEER THEN
	local i
	for ((i = 0; i <= pairs; i++)); do
		if ((i % 2)); then
			warm_memory; $1
			warm_memory; $2
		else
			warm_memory; $2
			warm_memory; $1
		fi
		((i == 0)) || $3
	done
}

# ---- bonnie++ ----

# Bytes and blocks apart: bytes take so long that the memory is gone again before the blocks.
files_assay() {
	"$ASSAY" run -q --rounds 1 --size "${mib}m" --time 1ms "$@" --set files.cache=warm "$work" >/dev/null
}

char_assay() { files_assay --phases char_write,char_read --set files.char_size=3m; }
block_assay() { files_assay --phases block_write,rewrite,block_read; }

files_bonnie() {
	bonnie++ -q -d "$work" -s "${mib}m:8k" -r $((mib / 2)) -n 0 -u "$(id -un)" -m bench "$@" \
		2>/dev/null | tail -1 >"$work/bonnie.csv"
}

char_bonnie() { files_bonnie; }
block_bonnie() { files_bonnie -f; }

bonnie_field() { # NUMBER, from 1: KiB/s as bytes/s
	cut -d, -f"$1" "$work/bonnie.csv" | awk '{ print $1 * 1024 }'
}

char_pair() {
	note char_write "$(figure latest char_write write throughput)" "$(bonnie_field 10)"
	note char_read,cache=warm "$(figure latest char_read read throughput)" "$(bonnie_field 16)"
}

block_pair() {
	note block_write "$(figure latest block_write write throughput)" "$(bonnie_field 12)"
	note rewrite,cache=warm "$(figure latest rewrite rewrite throughput)" "$(bonnie_field 14)"
	note block_read,cache=warm "$(figure latest block_read read throughput)" "$(bonnie_field 18)"
}

small_assay() {
	"$ASSAY" run -q --rounds 1 --time 1ms --set files.files=65536 --set files.cache=warm \
		--phases create_sequential,stat_sequential,delete_sequential,create_random,stat_random,delete_random \
		"$work" >/dev/null
}

small_bonnie() {
	bonnie++ -q -d "$work" -s 0 -n 64 -u "$(id -un)" -m bench 2>/dev/null | tail -1 >"$work/bonnie.csv"
}

small_pair() {
	local field=27 order what
	for order in sequential random; do
		for what in create stat delete; do
			note "${what}_$order" "$(figure latest ${what}_$order $what rate)" \
				"$(cut -d, -f$field "$work/bonnie.csv" | sed 's/[^0-9.]//g; s/^$/nan/')"
			field=$((field + 2))
		done
	done
}

# ---- fio ----

seeks_assay() {
	"$ASSAY" run -q --rounds 1 --size "${mib}m" --time 1ms --phases seeks --set seeks.rewrite_percent=0 \
		--set seeks.io=buffered,direct "$work" >/dev/null
}

seeks_fio() {
	local direct
	for direct in 0 1; do
		fio --name=seeks --filename="$work/fio.data" --size="${mib}m" --rw=randread --bs=8k \
			--ioengine=psync --direct=$direct --numjobs=5 --io_size=$((mib / 20))m --group_reporting \
			--invalidate=1 --output-format=json >"$work/fio.$direct.json"
	done
}

fio_iops() { sed -n '/^{/,$p' "$1" | sqlite3 :memory: "select json_extract(readfile('$1'),'\$.jobs[0].read.iops')"; }

seeks_pair() {
	note seeks,io=buffered,cold "$(figure latest seeks seek rate io=buffered)" "$(fio_iops "$work/fio.0.json")"
	note seeks,io=direct "$(figure latest seeks seek rate io=direct)" "$(fio_iops "$work/fio.1.json")"
}

# ---- the load generator ----

# 4 KiB random reads at a depth, one worker on one CPU, the same file or device for both.
load_assay() { # ENGINE DEPTH BATCH TARGET
	"$ASSAY" run -q --rounds 1 --phases random --set random.operation=read --set random.block_size=4k \
		--engine "$1" --set random.queue_depth="$2" --set random.batch="$3" --cpus 0 --time "${seconds}s" \
		${4:+--size "${mib}m"} "${4:-/dev/zram$zram}" >/dev/null
}

load_fio() { # ENGINE DEPTH BATCH FILE
	local engine=$1 extra=()
	[ "$engine" != sync ] || engine=psync
	[ "$engine" != io_uring ] || extra+=(--fixedbufs --registerfiles)
	[ "$3" = 1 ] || extra+=(--iodepth_batch_submit="$3" --iodepth_batch_complete_min="$3")
	fio --name=load --filename="$4" --rw=randread --bs=4k --direct=1 --ioengine="$engine" --iodepth="$2" \
		--norandommap --randrepeat=0 --cpus_allowed=0 --time_based --runtime="$seconds" --ramp_time=0.5 \
		"${extra[@]}" --output-format=json >"$work/fio.json"
}

fio_figure() { sqlite3 :memory: "select $1 from (select json_extract(readfile('$work/fio.json'),'\$.jobs[0]') j)"; }

load_pair() { # WHAT
	local rate cpu
	rate=$(figure latest random read rate)
	cpu=$(sqlite3 "$ASSAY_DB" "select sum(value) from results where run_id=(select max(run_id) from runs)
		and operation='all' and metric in ('cpu_user','cpu_system')")
	note "$1" "$rate" "$(fio_figure "json_extract(j,'\$.read.iops')")"
	note "$1,CPU/IO" "$(awk -v c="$cpu" -v r="$rate" 'BEGIN { print c * 1e4 / r }')" \
		"$(fio_figure "(json_extract(j,'\$.usr_cpu')+json_extract(j,'\$.sys_cpu'))*1e4/json_extract(j,'\$.read.iops')")"
	note "$1,p50" "$(figure latest random read latency_p50)" "$(fio_figure "json_extract(j,'\$.read.clat_ns.percentile.\"50.000000\"')")"
}

compare_load() { # WHAT ENGINE DEPTH BATCH ASSAY-TARGET FIO-FILE
	local engine=$2 depth=$3 batch=$4 target=$5 file=$6 what=$1
	one() { load_assay "$engine" "$depth" "$batch" "$target"; }
	other() { load_fio "$engine" "$depth" "$batch" "$file"; }
	both() { load_pair "$what"; }
	alternate one other both
}

# ---- the same figures ----

# For fio's buffers, ours are in large pages: a request in small ones is split by most devices.
reserve_large_pages() {
	[ -z "$large_pages" ] || return 0
	[ -w /proc/sys/vm/nr_hugepages ] || return 1
	large_pages=$(cat /proc/sys/vm/nr_hugepages)
	echo 640 >/proc/sys/vm/nr_hugepages
}

# Rate, median and 99th percentile of one load, on the same device for both or on a file for each.
agree() { # PHASE OPERATION BLOCK DEPTH ASSAY-TARGET FIO-FILE
	local phase=$1 operation=$2 block=$3 depth=$4 target=$5 file=$6 leave=() what
	what="$phase,$operation,$block,$depth"
	[ ! -b "$target" ] || leave=(--erase "$target")
	one() {
		"$ASSAY" run -q --rounds 1 --phases "$phase" --set "$phase.operation=$operation" \
			--set "$phase.block_size=$block" --set "$phase.queue_depth=$depth" --engine libaio \
			--set "$phase.batch=1" \
			--size "${mib}m" --time "${seconds}s" "${leave[@]}" "$target" >/dev/null
	}
	other() {
		local kind=$operation
		[ "$phase" = sequential ] || kind=rand$operation
		fio --name=load --filename="$file" --size="${mib}m" --rw="$kind" --bs="$block" --direct=1 \
			--mem=mmaphuge --ioengine=libaio --iodepth="$depth" --norandommap --randrepeat=0 --time_based \
			--runtime="$seconds" --ramp_time=0.5 --lat_percentiles=1 --output-format=json >"$work/fio.json"
	}
	both() {
		local percent
		note "$what" "$(figure latest "$phase" "$operation" rate)" "$(fio_figure "j ->> '$.$operation.iops'")"
		for percent in 50 99; do
			note "$what,p$percent" "$(figure latest "$phase" "$operation" latency_p$percent)" \
				"$(fio_figure "json_extract(j,'\$.$operation.lat_ns.percentile.\"$percent.000000\"')")"
		done
	}
	alternate one other both
}

agree_on() { # ASSAY-TARGET FIO-FILE
	local operation depth block
	for operation in read write; do
		for depth in 1 8 32; do agree random $operation 4k $depth "$1" "$2"; done
		agree sequential $operation 128k 32 "$1" "$2"
		agree sequential $operation 1m 8 "$1" "$2"
	done
}

make_loop() {
	fio --name=lay --filename="$work/image" --size="${mib}m" --rw=write --bs=1m --end_fsync=1 >/dev/null
	loop=$(losetup -f --show --direct-io=on "$work/image")
}

make_zram() {
	[ -r /sys/class/zram-control/hot_add ] || return 1
	zram=$(cat /sys/class/zram-control/hot_add) || return 1
	echo 512M >"/sys/block/zram$zram/disksize"
	dd if=/dev/urandom of="/dev/zram$zram" bs=1M count=512 oflag=direct status=none
}

bonnie_version() { bonnie++ -v 2>&1 | sed -n 's/.*\(2\.[0-9a-z]*\).*/\1/p' | head -1; }

case " $wanted " in *" bytes "*)
	alternate char_assay char_bonnie char_pair
	summary "bonnie++ $(bonnie_version), byte by byte"
	;;
esac
case " $wanted " in *" blocks "*)
	alternate block_assay block_bonnie block_pair
	summary "bonnie++ $(bonnie_version), $mib MiB in chunks of 8 KiB"
	;;
esac
case " $wanted " in *" small "*)
	alternate small_assay small_bonnie small_pair
	summary "bonnie++, 65536 small files"
	;;
esac
case " $wanted " in *" seeks "*)
	fio --name=lay --filename="$work/fio.data" --size="${mib}m" --rw=write --bs=1m --end_fsync=1 >/dev/null
	alternate seeks_assay seeks_fio seeks_pair
	summary "$(fio --version), five processes, random reads of 8 KiB"
	;;
esac
case " $wanted " in *" load "*)
	fio --name=lay --filename="$work/fio.data" --size="${mib}m" --rw=write --bs=1m --end_fsync=1 >/dev/null
	warm_memory() { :; }
	compare_load "sync,1" sync 1 1 "$work" "$work/fio.data"
	for depth in 1 8 32 128; do
		for engine in libaio io_uring; do
			compare_load "$engine,$depth" $engine $depth 1 "$work" "$work/fio.data"
		done
	done
	summary "$(fio --version), random reads of 4 KiB, one worker on one CPU, by engine and depth"
	;;
esac
case " $wanted " in *" memory "*)
	warm_memory() { :; }
	if make_zram; then
		compare_load "sync,1" sync 1 1 "" "/dev/zram$zram"
		compare_load "libaio,32" libaio 32 1 "" "/dev/zram$zram"
		compare_load "libaio,32,batch=16" libaio 32 16 "" "/dev/zram$zram"
		compare_load "io_uring,32" io_uring 32 1 "" "/dev/zram$zram"
		compare_load "io_uring,32,batch=16" io_uring 32 16 "" "/dev/zram$zram"
		summary "$(fio --version), the same from memory (zram, incompressible)"
	else
		echo "no zram here: nothing was measured from memory"
	fi
	;;
esac
case " $wanted " in *" accuracy "* | *" device "*)
	warm_memory() { :; }
	reserve_large_pages || {
		echo "not root: fio has no large pages, and no loop device can be had"
		wanted=${wanted//accuracy/}
		wanted=${wanted//device/}
	}
	;;
esac
case " $wanted " in *" accuracy "*)
	fio --name=lay --filename="$work/fio.data" --size="${mib}m" --rw=write --bs=1m --end_fsync=1 >/dev/null
	agree_on "$work" "$work/fio.data"
	summary "$(fio --version), libaio, a file for each, by block size and queue depth"
	rm "$work/fio.data"
	;;
esac
case " $wanted " in *" device "*)
	make_loop
	agree_on "$loop" "$loop"
	agree random write 8m 128 "$loop" "$loop"
	summary "$(fio --version), libaio, the same loop device for both, by block size and queue depth"
	;;
esac
case " $wanted " in *" null "*)
	load_assay null 32 auto "$work"
	sqlite3 "$ASSAY_DB" "select 'null engine, depth 32: ' || round(sum(case when metric in ('cpu_user','cpu_system')
		then value end) * 1e7 / max(case when metric = 'rate' then value end), 1) || ' ns of CPU for each I/O'
		from results where run_id = (select max(run_id) from runs)"
	;;
esac
