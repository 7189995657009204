// Steps of a schedule on machines that are processes, done on all of them at once while something happens to them. Knows
// how a step is done and when it may be cut off, nothing of what should come of it.
import { setTimeout as pause } from 'node:timers/promises'
import type { FaultParts, Heal } from '../cluster-faults.ts'
import { converged } from '../cluster-view.ts'
import type { WalMark } from '../cut-wal.ts'
import { markWal } from '../cut-wal.ts'
import type { SyncCluster } from '../sync-cluster.ts'
import { until } from '../synced-hosts.ts'
import type { Written } from './host-journal.ts'
import { Journal } from './host-journal.ts'
import { isNumber } from './host-run.ts'
import type { WriteStep } from './host-steps.ts'
import type { Told } from './host-writer.ts'
import { assertLogged, noWrite, Writer } from './host-writer.ts'
import type { AtRest } from './machine.ts'
import { createProcessMachine } from './process-machine.ts'
import type { ProcessMachine } from './process-machine.ts'

/** What takes effect or not, and is known whole before it is answered: the answer may not come. */
const mayBreak: ReadonlySet<WriteStep['kind']> = new Set<WriteStep['kind']>([
  'edit',
  'editChild',
  'text',
  'fill',
  'group',
  'delete',
  'restore',
  'purge',
  'editComment',
  'uncomment',
  'react',
  'pin',
])

/** Runs steps on a cluster. */
export class ProcessRun implements AtRest {
  readonly machines: readonly ProcessMachine[]
  readonly journal = new Journal()
  readonly skewed = true
  readonly isCounterLost = false
  readonly members: AtRest['members'] = new Map()
  /** Calls that were answered. */
  acknowledged = 0
  readonly #cluster: SyncCluster
  readonly #writer = new Writer()
  readonly #marks = new Map<string, WalMark | undefined>()
  /** Steps under way that have to be answered, and whether somebody waits for them to end. */
  #whole = 0
  readonly #starts = new Map<string, number>()
  #isHurt = false

  constructor(cluster: SyncCluster) {
    this.machines = cluster.nodes.map((node) =>
      createProcessMachine(node, ({ name }) => {
        this.acknowledged += 1
        this.#marks.set(name, markWal(node.database, this.#marks.get(name)))
      }),
    )
    this.#cluster = { ...cluster, nodes: this.machines.map(({ node }) => node) }
    this.#collect()
  }

  /** Does the steps, those of each machine one after the other, while a fault comes and goes; then all come to rest. */
  async round(
    steps: readonly WriteStep[],
    fault: (parts: FaultParts) => Promise<Heal>,
    random: () => number,
    restMs: number,
  ): Promise<number> {
    const { machines } = this
    const writing = machines.map((machine, index) =>
      this.#writeOn(
        machine,
        steps.filter(({ m }) => m % machines.length === index),
        random,
      ),
    )
    // Told by whoever waits for it.
    for (const one of writing) one.catch(() => undefined)
    await pause(50 + random() * 150)
    this.#isHurt = true
    await until('what has to be answered is', () => this.#whole === 0)
    const { node } = machines[Math.floor(random() * machines.length)]!
    const heal = await fault({ cluster: this.#cluster, node, random, mark: ({ name }) => this.#marks.get(name) })
    this.#isHurt = false
    await pause(200 + random() * 300)
    await heal()
    await Promise.all(writing)
    const ms = await converged(this.#cluster.nodes, restMs)
    this.#collect()
    return ms
  }

  close(): void {
    for (const machine of this.machines) machine.close()
  }

  async #writeOn(machine: ProcessMachine, steps: readonly WriteStep[], random: () => number): Promise<void> {
    for (const step of steps) {
      await this.#write(machine, step)
      await pause(random() * 30)
    }
  }

  async #write(machine: ProcessMachine, step: WriteStep): Promise<void> {
    const isWhole = !mayBreak.has(step.kind)
    await until(`${machine.name} runs`, () => machine.isUp() && !(isWhole && this.#isHurt), 60_000)
    const before = machine.broken
    if (isWhole) this.#whole += 1
    const told = await this.#writer.write(machine, step).finally(() => (this.#whole -= isWhole ? 1 : 0))
    const isBroken = machine.broken > before
    await until(`${machine.name} runs again`, () => machine.isUp(), 60_000)
    const found = this.#collectOf(machine, told)
    if (isBroken) return
    try {
      assertLogged(machine, told, found)
    } catch (error) {
      const atOnce = entriesIn(found)
      await pause(1_000)
      const later = entriesIn(this.#collectOf(machine))
      const seen = JSON.stringify({ step, incs: machine.incs(), atOnce, later })
      throw new Error(`${(error as Error).message} It said at once, and a second later: ${seen}`, { cause: error })
    }
  }

  #collectOf(machine: ProcessMachine, told: Told = noWrite): readonly Written[] {
    const logs = machine.incs().map((inc) => ({ ...machine, inc }))
    if (this.#starts.get(machine.name) !== machine.starts) {
      this.#starts.set(machine.name, machine.starts)
      // Whoever lost power may have lost what it had not answered, and nothing else.
      const lost = logs
        .flatMap((log) => this.journal.rewind(log))
        .find(({ notes, intents, talks }) => [notes, intents, talks].some((some) => some.length > 0))
      if (lost !== undefined)
        throw new Error(`${machine.name} stored ${lost.docs[0]!.doc}, and its log has it no more.`)
    }
    return logs.flatMap((log) => this.journal.collect(log, Date.now(), told))
  }

  /** What nobody asked for is the numbers of records, where they are given, and what each machine says of itself. */
  #collect(): void {
    const isFirst = this.journal.written.size === 0
    for (const [index, machine] of this.machines.entries()) {
      for (const one of this.#collectOf(machine)) {
        const isOwn = one.docs.every(({ doc }) => doc.startsWith('w/'))
        if (!isFirst && !isOwn && !one.isComeback && !(index === 0 && isNumber(machine, one)))
          throw new Error(`${machine.name} wrote ${one.docs[0]!.doc} by itself.`)
      }
    }
  }
}

function entriesIn(found: readonly Written[]): readonly unknown[] {
  return found.flatMap(({ inc, seq, author, docs }) =>
    docs.map(({ doc, entries }) => ({ inc, seq, author, doc, entries })),
  )
}
