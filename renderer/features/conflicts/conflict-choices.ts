// Owns what can be done about a conflict, by its kind: the sides to show, whose they are, and the ways to end it. Pure; the
// words stand for themselves in strings.
import type { RefusalCode } from '#shared/contracts/sync-conflicts.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import type { Conflict, ConflictSide, Decision, ManyChoice } from './conflict-queries.ts'

/** Whose a side is, seen from this device. */
export type Whose = 'mine' | 'theirs' | 'unknown'

/** A side as it is shown: `choice` is what keeps it. */
export interface ShownSide {
  readonly side: ConflictSide
  readonly heading: StringKey
  readonly choice: Choice | undefined
}

/** One way to end a conflict. */
export interface Choice {
  readonly label: StringKey
  readonly decision: Decision
}

/** Ways that are beside the sides. `value`: a value of one's own can be written, as this choice. */
export interface OtherWays {
  readonly actions: readonly Choice[]
  readonly value: { readonly label: StringKey; readonly choice: Decision['choice'] } | undefined
}

/** Kinds where many are decided by one word. */
const many: ReadonlySet<Conflict['kind']> = new Set(['field', 'text', 'fork', 'delete_edit'])

/** Whether a conflict can be decided together with others; what was refused can only be taken back together. */
export function isForMany({ kind, refusal, isGone }: Conflict, choice: ManyChoice): boolean {
  return (many.has(kind) && isGone !== true) || (choice === 'theirs' && refusal?.choices.includes('winner') === true)
}

/** Whose a side is; unknown while this device is not known. */
export function whoseIs({ device }: ConflictSide, ownDevice: string | undefined): Whose {
  if (ownDevice === undefined) return 'unknown'
  return device.id === ownDevice ? 'mine' : 'theirs'
}

/** The sides of a conflict in the order of their keys: 1 is what stands now. */
export function sidesOf({ kind, winner, losers, state, item, base, isGone }: Conflict): readonly ShownSide[] {
  switch (kind) {
    case 'refused':
      return [
        ...losers.map((side): ShownSide => ({ side, heading: 'conflicts.refused.mine', choice: undefined })),
        { side: winner, heading: 'conflicts.refused.theirs', choice: undefined },
      ]
    case 'delete_edit':
      // What stands may be the record that was brought back, beside a deletion.
      return [winner, ...losers].map((side): ShownSide =>
        side.value === null
          ? {
              side,
              heading: item ? 'conflicts.side.removed' : 'conflicts.side.deleted',
              choice: act('delete', item ? 'conflicts.keepRemoved' : 'conflicts.keepDeleted'),
            }
          : {
              side,
              heading: item ? 'conflicts.side.recordsWritten' : 'conflicts.side.edited',
              // Of what was removed for good nothing else is left.
              choice: isGone ? undefined : act('restore', item ? 'conflicts.bringBack' : 'conflicts.restore'),
            },
      )
    case 'unique':
      return [
        { side: winner, heading: 'conflicts.side.owner', choice: undefined },
        ...losers.map((side): ShownSide => ({ side, heading: 'conflicts.side.second', choice: undefined })),
      ]
    case 'cycle': {
      // Where it was before is not always known.
      const back = base === undefined ? undefined : act('loser', 'conflicts.take')
      return [winner, ...losers].map((side) => ({
        side,
        heading: 'conflicts.side.written',
        choice: side === winner ? act('winner', 'conflicts.keep') : back,
      }))
    }
    case 'type':
    case 'orphan':
    case 'validation':
      return (losers.length > 0 ? losers : [winner]).slice(0, 1).map((side) => ({
        side,
        heading: kind === 'orphan' ? 'conflicts.side.parent' : 'conflicts.side.written',
        choice: undefined,
      }))
    default:
      return [
        {
          side: winner,
          heading: state === 'open' ? 'conflicts.side.now' : 'conflicts.side.then',
          choice: act('winner', 'conflicts.keep'),
        },
        ...losers.map((side, loser): ShownSide => ({
          side,
          heading: 'conflicts.side.other',
          choice: { label: 'conflicts.take', decision: { choice: 'loser', loser } },
        })),
      ]
  }
}

/** The ways to end a conflict that are no side of it. */
export function otherWays({ kind, field, winner, item, refusal }: Conflict): OtherWays {
  const value = field === undefined ? undefined : ({ label: 'conflicts.own', choice: 'value' } as const)
  switch (kind) {
    case 'text':
      return { actions: [act('both', 'conflicts.both')], value }
    case 'orphan':
      return {
        actions: [act('adopt', 'conflicts.restoreParent'), act('delete', 'conflicts.deleteRecord')],
        value: value && { label: 'conflicts.adopt', choice: 'adopt' },
      }
    case 'unique':
      return { actions: [act('merge', 'conflicts.merge')], value: value && { ...value, label: 'conflicts.change' } }
    case 'cycle':
      return { actions: [], value: value && { ...value, label: 'conflicts.adopt' } }
    case 'type':
      return { actions: [act('winner', 'conflicts.leaveEmpty')], value }
    case 'validation':
      return { actions: [act('winner', 'conflicts.leave')], value: value && { ...value, label: 'conflicts.change' } }
    case 'delete_edit':
      return { actions: [], value: undefined }
    case 'refused': {
      const isRemoval = winner.value === null && item === undefined
      const labels = {
        winner: isRemoval ? 'conflicts.refused.remove' : 'conflicts.refused.takeBack',
        retry: 'word.tryAgain',
        keep: 'conflicts.refused.keep',
      } as const
      return { actions: (refusal?.choices ?? []).map((choice) => act(choice, labels[choice])), value: undefined }
    }
    default:
      return { actions: [], value }
  }
}

const properties = ['label', 'description', 'name', 'type', 'required', 'options', 'order', 'state', 'del'] as const

/** A property of a definition by its name. */
export function propertyName(name: string): string {
  const known = properties.find((each) => each === name)
  return known === undefined ? name : t(`conflicts.property.${known}`)
}

const refusalWords: Readonly<Record<Exclude<RefusalCode, 'fields'>, StringKey>> = {
  create: 'conflicts.refused.code.create',
  read: 'conflicts.refused.code.read',
  edit: 'conflicts.refused.code.edit',
  delete: 'conflicts.refused.code.delete',
  transfer: 'conflicts.refused.code.transfer',
  restore: 'conflicts.refused.code.restore',
  purge: 'conflicts.refused.code.purge',
  master: 'conflicts.refused.code.master',
  closed: 'conflicts.refused.code.closed',
  others: 'conflicts.refused.code.others',
  name: 'conflicts.refused.code.name',
  creation: 'conflicts.refused.code.creation',
  admin: 'conflicts.refused.code.admin',
}

const hasWords = (code: string): code is keyof typeof refusalWords => Object.hasOwn(refusalWords, code)

/** Why another device did not accept a change; the words of that device where there are none here. */
export function refusalReason(refusal: NonNullable<Conflict['refusal']>, closed: readonly string[]): string {
  if (refusal.code === 'fields') {
    const fields = closed.length === 0 ? t('conflicts.refused.someFields') : closed.join(', ')
    return t('conflicts.refused.code.fields', { fields })
  }
  return hasWords(refusal.code) ? t(refusalWords[refusal.code]) : refusal.message
}

/** What of a definition a conflict is about: `Amount: label`. */
export function propertyText(item: NonNullable<Conflict['item']>): string {
  if (item.property === '') return t('conflicts.property.all')
  const property = propertyName(item.property)
  return item.field === undefined ? property : t('conflicts.property.of', { field: item.field.label, property })
}

/** Conflicts under the record they are about, in the order they came; those of metadata under their item. */
export function byRecord(
  conflicts: readonly Conflict[],
): readonly { readonly key: string; readonly list: readonly Conflict[] }[] {
  const groups = new Map<string, Conflict[]>()
  for (const conflict of conflicts) {
    const { item } = conflict
    const key = item ? `meta/${item.type}/${item.name}` : `${conflict.object}/${conflict.recordId}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [conflict])
    else group.push(conflict)
  }
  return [...groups].map(([key, list]) => ({ key, list }))
}

function act(choice: Decision['choice'], label: StringKey): Choice {
  return { label, decision: { choice } }
}
