// What people do to an object whose definition changes under them: types, options, uniqueness, sums, fields and the object
// itself come and go while others write to its records. Knows no documents but their names.
import { statement } from '#main/kernel/database.ts'
import type { Machine } from './machine.ts'
import type { MemoStep } from './host-steps.ts'

/** What a person wrote into a field of a memo. */
export interface MemoNote {
  /** The record's document. */
  readonly doc: string
  readonly uid: string
  /** Written once in a schedule. */
  readonly word: string
}

type Definition = Record<string, unknown>
type Fields = Record<string, Definition>

/** Fields whose values are looked for afterwards. */
const noted = ['title', 'text', 'extra']
const longTypes: ReadonlySet<unknown> = new Set(['textarea', 'markdown'])
/** What `text` is in turn. @source D-94 */
const types = ['text', 'markdown', 'textarea', 'number']
const options = ['red', 'green', 'blue']
/** What `title` is limited to from time to time. */
const onlyDigits = '^[0-9]+$'

interface MemoRow extends Record<string, unknown> {
  readonly id: string
  readonly deleted_at: string | null
}

/** Does what a step says; nothing where it cannot be done. @throws PlatformError for what a person may not do */
export async function changeMemos(machine: Machine, step: MemoStep, made: number): Promise<readonly MemoNote[]> {
  const schema = machine.metadata.objectSchema('memo')
  switch (step.kind) {
    case 'memo':
    case 'writeMemo':
      return schema === undefined ? [] : writeMemo(machine, step, made)
    case 'trashMemo': {
      const memo = schema === undefined ? undefined : pick(memos(machine), step.r)
      if (memo === undefined) return []
      const place = { object: 'memo', id: memo.id }
      if (memo.deleted_at === null) await machine.data.remove(machine.ctx(), place)
      else await machine.data.restore(machine.ctx(), place)
      return []
    }
    case 'dropMemos':
      if (schema === undefined) await machine.bringBack('memo')
      else
        await machine.metadata.remove(machine.ctx(), {
          ...{ type: 'object', name: 'memo' },
          ...{ authorized: true, confirm: 'true', force: true },
        })
      return []
    default:
      if (schema !== undefined) await redefine(machine, step)
      return []
  }
}

async function writeMemo(
  machine: Machine,
  { kind, r, n }: Extract<MemoStep, { kind: 'memo' | 'writeMemo' }>,
  made: number,
): Promise<readonly MemoNote[]> {
  const { data, metadata } = machine
  const schema = metadata.objectSchema('memo')!
  const memo = kind === 'memo' ? undefined : pick(liveMemos(machine), r)
  if (kind === 'writeMemo' && memo === undefined) return []
  const values: Record<string, unknown> = {}
  const said: { readonly uid: string; readonly word: string }[] = []
  for (const [index, name] of noted.entries()) {
    const field = schema.byName.get(name)
    if (field === undefined || ((n >> index) & 1) === 0) continue
    // Some are numbers, so that some survive a change of the type.
    const isNumber = made % 2 === 0 || field.type === 'number' || field.settings.pattern !== undefined
    const word = isNumber ? String(made) : `w${made}`
    const before = memo?.[field.column]
    const whole = longTypes.has(field.type) && typeof before === 'string' ? `${before} ${word}` : word
    values[name] = field.type === 'number' ? Number(word) : whole
    said.push({ uid: field.uid, word })
  }
  const open = optionsOf(metadata.get('object', 'memo')!.item['fields'] as Fields)
  if ((n & 8) !== 0 && open.length > 0) values['pick'] = open[made % open.length]!.value
  if ((n & 16) !== 0) values['mark'] = `m${r % 3}`
  if ((n & 32) !== 0) values['tally'] = Number(memo?.['tally'] ?? 0) + made
  if (memo !== undefined && Object.keys(values).length === 0) return []
  const id =
    memo === undefined
      ? (await data.create(machine.ctx(), { object: 'memo', data: values })).id
      : (await data.update(machine.ctx(), { object: 'memo', id: memo.id, data: values }), memo.id)
  return said.map((one) => ({ ...one, doc: `r/${schema.uid}/${id}` }))
}

async function redefine(machine: Machine, { kind, n }: Exclude<MemoStep, { r: number }>): Promise<void> {
  const stored = machine.metadata.get('object', 'memo')!
  const fields = structuredClone(stored.item['fields']) as Fields
  const change = (name: string, to: Definition): void => {
    if (fields[name] !== undefined) fields[name] = { ...fields[name], ...to }
  }
  switch (kind) {
    case 'retype':
      change('text', { type: types[n % types.length] })
      break
    case 'options': {
      const gone = options[n % options.length]!
      const held = optionsOf(fields)
      const left = held.filter(({ value }) => value !== gone)
      const next = left.length === held.length ? [...held, { value: gone, label: gone }] : left
      if (next.length > 0) change('pick', { options: next })
      break
    }
    case 'uniqueness':
      change('mark', { unique: fields['mark']?.['unique'] !== true })
      break
    case 'limit': {
      const { pattern: _pattern, ...free } = fields['title'] ?? {}
      fields['title'] = fields['title']?.['pattern'] === undefined ? { ...free, pattern: onlyDigits } : free
      break
    }
    case 'merge':
      change('tally', { merge: fields['tally']?.['merge'] === 'sum' ? 'latest' : 'sum' })
      break
    case 'dropField':
      if (fields['extra'] === undefined) return machine.bringBack('memo')
      delete fields['extra']
      break
    case 'dropMemos':
      return
  }
  await machine.metadata.save(machine.ctx(), {
    ...{ type: 'object', name: 'memo', item: { ...structuredClone(stored.item), fields } },
    ...{ authorized: true, confirm: 'true' },
  })
}

function optionsOf(fields: Fields): readonly { readonly value: string }[] {
  return (fields['pick']?.['options'] ?? []) as readonly { readonly value: string }[]
}

function memos(machine: Machine): MemoRow[] {
  const { table } = machine.metadata.objectSchema('memo')!
  return machine.plugin.read.all(statement<MemoRow>(`SELECT * FROM "${table}" ORDER BY id`))
}

function liveMemos(machine: Machine): MemoRow[] {
  return memos(machine).filter(({ deleted_at: deleted }) => deleted === null)
}

function pick<T>(from: readonly T[], index: number): T | undefined {
  return from.length === 0 ? undefined : from[index % from.length]
}
