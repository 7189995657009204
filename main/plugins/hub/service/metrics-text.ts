// A report of the hub in the text form of Prometheus. Names end in their unit; counters in `_total`.
// @source https://prometheus.io/docs/instrumenting/exposition_formats/
import type { HubReport } from '#main/kernel/hub-facts.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [labels: Labels, value: number]

/** @param now milliseconds since 1970 */
export function metricsText(report: HubReport, version: string, now: number): string {
  const { appends, snapshots } = report
  const others = report.nodes.filter(({ leads }) => !leads)
  const newest = snapshots[0]
  const verified = snapshots.find(({ isVerified }) => isVerified)
  const age = (at: number): number => Math.max(0, now - at) / 1000
  const one = (value: number): Sample[] => [[{}, value]]
  const lines = [
    metric('cairn_info', 'gauge', 'The program that leads.', [[{ version, node: report.node }, 1]]),
    metric('cairn_hub_epoch', 'gauge', 'Number of the epoch: rises with each leader.', one(report.epoch)),
    metric('cairn_hub_row', 'gauge', 'The last row that is stored.', one(report.seq)),
    metric('cairn_hub_behind', 'gauge', '1 while something written is not known to be stored.', one(+report.isBehind)),
    metric('cairn_hub_lease_left_seconds', 'gauge', 'Until others may lead.', one(report.leaseLeftMs / 1000)),
    metric('cairn_hub_append_bytes_total', 'counter', 'Bytes of rows, before they are packed.', one(appends.bytes)),
    metric('cairn_hub_append_failures_total', 'counter', 'Tries that were repeated.', one(appends.failures)),
    histogram('cairn_hub_append_seconds', 'How long storing a row took.', appends),
    metric(
      'cairn_hub_followers',
      'gauge',
      'Nodes that follow and are there.',
      one(count(others, (node) => node.isHere)),
    ),
    metric(
      'cairn_hub_node_behind_rows',
      'gauge',
      'Rows that the file of a node lacks; of those that are there.',
      others.filter(({ isHere }) => isHere).map(({ address, rowsBehind }) => [{ address }, rowsBehind]),
    ),
    metric(
      'cairn_hub_node_seen_seconds',
      'gauge',
      'Since a node was last seen.',
      others.map(({ address, seenAgoMs }) => [{ address }, seenAgoMs / 1000]),
    ),
    metric('cairn_hub_log_bytes', 'gauge', 'The log in the store.', one(report.logBytes)),
    metric(
      'cairn_hub_unsafe_settings',
      'gauge',
      'Settings by which PostgreSQL can lose what it has acknowledged.',
      one(report.unsafeSettings.length),
    ),
    metric('cairn_hub_snapshots', 'gauge', 'Copies of the whole file that are kept.', one(snapshots.length)),
    ...(newest === undefined
      ? []
      : [
          metric('cairn_hub_snapshot_age_seconds', 'gauge', 'Of the newest copy.', one(age(newest.at))),
          metric('cairn_hub_snapshot_rows', 'gauge', 'Rows since the newest copy.', one(report.seq - newest.seq)),
        ]),
    ...(verified === undefined
      ? []
      : [
          metric(
            'cairn_hub_verified_snapshot_age_seconds',
            'gauge',
            'Of the newest copy that another node has checked.',
            one(age(verified.at)),
          ),
        ]),
  ]
  return lines.join('')
}

function metric(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  return samples.length === 0
    ? ''
    : `${head(name, type, help)}${samples.map((sample) => line(name, ...sample)).join('')}`
}

function histogram(name: string, help: string, { buckets, count: all, seconds }: HubReport['appends']): string {
  const bounds = buckets.map(({ atMost, count: below }) => line(`${name}_bucket`, { le: String(atMost) }, below))
  const rest = [
    line(`${name}_bucket`, { le: '+Inf' }, all),
    line(`${name}_sum`, {}, seconds),
    line(`${name}_count`, {}, all),
  ]
  return [head(name, 'histogram', help), ...bounds, ...rest].join('')
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

function line(name: string, labels: Labels, value: number): string {
  const given = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
  return `${name}${given.length === 0 ? '' : `{${given.join(',')}}`} ${value}\n`
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
}

function count<T>(list: readonly T[], fits: (one: T) => boolean): number {
  return list.filter(fits).length
}
