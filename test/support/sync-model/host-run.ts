// Runs a schedule on a pool of machines and brings them to rest. Knows how each step is done; what should come of it is
// decided from the journal afterwards.
import { statement } from '#main/kernel/database.ts'
import { beginBackfill } from '#main/plugins/sync/engine/backfill.ts'
import type { DataFolder, MachineImage, ModelMachine } from './host-machine.ts'
import { START } from './host-machine.ts'
import type { Written } from './host-journal.ts'
import { Journal } from './host-journal.ts'
import { Network, quiet, scramble } from './host-network.ts'
import type { HostSchedule, HostStep, MemoStep, WorldStep, WriteStep } from './host-steps.ts'
import type { Told } from './host-writer.ts'
import { allTold, assertLogged, Writer } from './host-writer.ts'
import type { AtRest, Machine, Member } from './machine.ts'

/** Machines at rest after a schedule. */
export interface HostOutcome extends AtRest {
  readonly machines: readonly ModelMachine[]
  readonly network: Network
  /** How often each kind of step did something. */
  readonly done: Readonly<Record<string, number>>
}

const isOfMemos: ReadonlySet<HostStep['kind']> = new Set<MemoStep['kind']>([
  ...(['memo', 'writeMemo', 'trashMemo', 'retype', 'options'] as const),
  ...(['uniqueness', 'limit', 'merge', 'dropField', 'dropMemos'] as const),
])

const happenings: ReadonlySet<HostStep['kind']> = new Set<WorldStep['kind']>([
  ...(['flow', 'push', 'pull', 'relay', 'part', 'heal', 'clock'] as const),
  ...(['copy', 'putBack', 'crash', 'restart', 'backup', 'rollback', 'off'] as const),
])

type PutBack = Extract<WorldStep, { kind: 'putBack' }>
type Off = Extract<WorldStep, { kind: 'off' }>

/** Runs a schedule. */
export async function runHostSchedule(pool: readonly ModelMachine[], schedule: HostSchedule): Promise<HostOutcome> {
  const run = new Run(pool.slice(0, schedule.machines), schedule)
  await run.begin()
  for (const step of schedule.steps) await run.step(step)
  await run.rest()
  return run
}

class Run implements HostOutcome {
  readonly machines: readonly ModelMachine[]
  readonly journal = new Journal()
  readonly network = new Network()
  readonly skewed: boolean
  isCounterLost = false
  readonly members: ReadonlyMap<string, Member>
  readonly done: Record<string, number> = {}
  readonly #schedule: HostSchedule
  readonly #writer = new Writer()
  readonly #skew = new Map<string, number>()
  readonly #backups = new Map<string, DataFolder>()
  #time = START
  #incs = 0

  constructor(machines: readonly ModelMachine[], schedule: HostSchedule) {
    this.machines = machines
    this.#schedule = schedule
    this.skewed = schedule.skewed
    const last = machines.slice(1).toReversed()
    this.members = new Map(
      (schedule.members ?? []).flatMap((member, index) =>
        last[index] === undefined ? [] : [[last[index].name, member]],
      ),
    )
  }

  async begin(): Promise<void> {
    const { founded, together, schemas } = this.#schedule
    const [first, ...others] = this.machines
    for (const machine of this.machines) {
      await machine.clear()
      machine.clock.set(this.#time)
    }
    const makeFirst = async (): Promise<Told[]> => {
      const told: Told[] = []
      for (const code of [0, 1]) told.push(await this.#writer.write(first!, { kind: 'create', m: 0, fields: 63, code }))
      for (const what of [0, 2, 3]) told.push(await this.#writer.write(first!, { kind: 'comment', m: 0, r: 0, what }))
      return told
    }
    let told: Told[] = []
    if (founded) {
      told = await makeFirst()
      await this.#writer.write(first!, { kind: 'delete', m: 0, r: 1, child: false })
    }
    const withSchemas = schemas !== 'none'
    for (const machine of this.machines) machine.join(this.members.get(machine.name))
    await first!.open(this.#fresh(), { withSchemas })
    if (founded || withSchemas) {
      await first!.engine.prepare()
      while (first!.engine.state() === 'preparing') await new Promise((resolve) => setImmediate(resolve))
    }
    if (!founded) told = await makeFirst()
    // Some have a field more from the beginning, so that several people change the same one.
    if (schemas === 'field') await this.#writer.write(first!, { kind: 'addField', m: 0, r: 0, n: 0 })
    this.journal.collect(first!, this.#time, allTold(told))
    for (const machine of others) await machine.open(this.#fresh(), { withSchemas })
    if (together) await this.network.settle(this.machines)
    for (const machine of this.machines) this.#backups.set(machine.name, machine.folder())
  }

  async step(step: HostStep): Promise<void> {
    this.#time += 7
    for (const machine of this.machines) machine.clock.set(this.#time + (this.#skew.get(machine.name) ?? 0))
    const did = happenings.has(step.kind) ? await this.#happen(step as WorldStep) : await this.#write(step as WriteStep)
    if (did) this.done[step.kind] = (this.done[step.kind] ?? 0) + 1
  }

  async rest(): Promise<void> {
    this.network.heal()
    await this.network.settle(this.machines)
    this.#noEcho()
  }

  async #write(step: WriteStep): Promise<boolean> {
    const { schemas } = this.#schedule
    if (isOfMemos.has(step.kind) ? schemas !== 'memos' : step.kind.endsWith('Field') && schemas === 'none') return false
    const machine = this.#at(step.m)
    // Definitions are for administrators.
    if (machine.member !== undefined && step.kind.endsWith('Field')) return false
    await quiet(machine)
    this.#noEcho()
    const told = await this.#writer.write(machine, step)
    const found = this.journal.collect(machine, this.#time, told)
    assertLogged(machine, told, found)
    return found.length > 0
  }

  async #happen(step: WorldStep): Promise<boolean> {
    switch (step.kind) {
      case 'flow':
        await this.network.flow(this.#at(step.m), this.#other(step.m, step.to), step.salt)
        return true
      case 'push':
      case 'pull':
        await this.network.relay(this.#at(step.m), step.kind)
        return true
      case 'relay':
        if (step.what === 'wipe') this.network.wipeRelay()
        else if (step.what === 'backup') this.network.backupRelay()
        else this.network.rollBackRelay()
        return true
      case 'part':
        this.network.part(this.#at(step.m), this.#other(step.m, step.to))
        return true
      case 'heal':
        this.network.heal()
        return true
      case 'clock':
        if (!this.skewed) return false
        this.#skew.set(this.#at(step.m).name, step.ms)
        return true
      case 'copy':
        return this.#copy(this.#at(step.m), this.#other(step.m, step.to))
      case 'putBack':
        return this.#putBack(this.#at(step.m), step)
      case 'off':
        return this.#off(this.#at(step.m), step)
      default:
        return this.#machineStep(this.#at(step.m), step.kind)
    }
  }

  async #machineStep(machine: ModelMachine, kind: 'crash' | 'restart' | 'backup' | 'rollback'): Promise<boolean> {
    this.#noEcho()
    if (kind === 'backup') {
      this.#backups.set(machine.name, machine.folder())
      return true
    }
    await machine.close(kind !== 'crash')
    if (kind === 'rollback') await this.#restore(machine, this.#backups.get(machine.name)!.image)
    this.network.forget(machine)
    const verdict = await machine.open(this.#fresh())
    if (verdict.keep && kind === 'rollback') this.journal.rewind(machine)
    return true
  }

  async #putBack(machine: ModelMachine, { m, inOrder, writes: count }: PutBack): Promise<boolean> {
    this.#noEcho()
    await machine.close(inOrder)
    await machine.putBack(this.#backups.get(machine.name)!, inOrder)
    if (machine === this.machines[0]) this.isCounterLost = true
    this.network.forget(machine)
    const verdict = await machine.open(this.#fresh())
    if (verdict.keep) throw new Error('A copy of a data folder that was put back goes on under its number.')
    for (let r = 0; r < count; r += 1) await this.#write({ kind: 'edit', m, r, fields: 3 + 64 * (r % 2), code: 5 })
    return true
  }

  async #off(machine: ModelMachine, { m, writes }: Off): Promise<boolean> {
    // What is found then is written in the name of whoever made the record.
    if (machine.member !== undefined) return false
    await quiet(machine)
    this.#noEcho()
    await machine.engine.catchUp()
    await machine.close(true)
    const told: Told[] = []
    for (const write of writes) told.push(await this.#writer.write(machine, { ...write, m }))
    this.network.forget(machine)
    await machine.plugin.write('model.off', (tx) => beginBackfill(tx, 0, 0))
    await machine.open(this.#fresh())
    await quiet(machine)
    const last = lastTold(machine, allTold(told))
    const found = this.journal.collect(machine, this.#time, last)
    assertLogged(machine, last, found)
    return found.length > 0
  }

  async #restore(machine: ModelMachine, image: MachineImage): Promise<void> {
    await machine.restore(image)
    if (machine === this.machines[0]) this.isCounterLost = true
  }

  async #copy(from: ModelMachine, to: ModelMachine): Promise<boolean> {
    // What others refuse would come to them by the copy.
    if (from.member !== undefined) return false
    this.#noEcho()
    // A copy carries the log away as sending does; what the sidecar knows of it is up to whoever copies.
    from.engine.replica.beforeSending(from.engine.replica.vector().get(from.inc) ?? 0)
    await from.close(true)
    const image = from.image()
    this.network.forget(from)
    await from.open(this.#fresh())
    await to.close(true)
    await this.#restore(to, image)
    this.network.forget(to)
    const verdict = await to.open(this.#fresh())
    if (verdict.keep) throw new Error('A copied database goes on under the number of the original.')
    return true
  }

  /** Nothing that comes from elsewhere is written again; only whoever gives numbers writes these. */
  #noEcho(): void {
    for (const machine of this.machines) {
      if (!machine.isOn) continue
      for (const one of this.journal.collect(machine, this.#time)) {
        if (machine === this.machines[0] && isNumber(machine, one)) continue
        // Whoever restored what somebody removed for good without knowing brings it back.
        if (one.isComeback) continue
        // Whoever refuses says so.
        if (one.docs.every(({ doc }) => doc.startsWith('x/'))) continue
        // What a change of a definition did to records, whoever changed it writes for all.
        if (
          this.#schedule.schemas === 'memos' &&
          one.author === 'system' &&
          isOfObject(one, this.machines[0]!.uidOf('memo'))
        )
          continue
        throw new Error(`${machine.name} wrote ${one.docs[0]!.doc} by itself.`)
      }
    }
  }

  #at(index: number): ModelMachine {
    return this.machines[index % this.machines.length]!
  }

  /** Another machine than the one at an index. */
  #other(index: number, offset: number): ModelMachine {
    const { length } = this.machines
    return this.machines[((index % length) + 1 + (offset % (length - 1))) % length]!
  }

  #fresh(): number {
    return scramble(this.#schedule.seed + (this.#incs += 1) * 7919) || 1
  }
}

/** What is left of several writes that nobody recorded: the last value of each field, of records that are there. */
function lastTold({ plugin: { read } }: Machine, { notes, intents }: Told): Told {
  const isThere = ({ doc }: { readonly doc: string }): boolean => {
    const sql = 'SELECT 1 FROM o_part WHERE id = ? UNION SELECT 1 FROM o_item WHERE id = ?'
    const id = doc.split('/')[2]!
    return read.get(statement(sql, [id, id])) !== undefined
  }
  const last = new Map<string, { doc: string; values: Record<string, unknown> }>()
  for (const { doc, values } of intents) last.set(doc, { doc, values: { ...last.get(doc)?.values, ...values } })
  const [added, removed] = (['added', 'removed'] as const).map((what) => new Set(notes.map((note) => note[what])))
  const isLeft = (note: Told['notes'][number]): boolean =>
    note.grown !== undefined || !(added!.has(note.removed ?? '') || removed!.has(note.added ?? ''))
  return { notes: notes.filter((note) => isThere(note) && isLeft(note)), intents: [...last.values()].filter(isThere) }
}

/** Whether an envelope writes records of an object and nothing else. */
function isOfObject({ docs }: Written, uid: string): boolean {
  return docs.every(({ doc }) => /^[rt]$/.test(doc[0]!) && doc.split('/')[1] === uid)
}

/** Whether an envelope gives a record its number, and nothing else. */
export function isNumber({ metadata }: Machine, { author, docs }: Written): boolean {
  const { uid } = metadata.objectSchema('part')!.byName.get('no')!
  return author === 'system' && docs.every(({ entries }) => entries.length === 1 && entries[0]![0] === uid)
}
