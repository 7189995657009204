// Owns one conflict: what it is about, its sides, and every way to end it, by pointer and by key.
import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { formatMoment } from '../../lib/format.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { otherWays, propertyText, refusalReason, sidesOf } from './conflict-choices.ts'
import type { Choice } from './conflict-choices.ts'
import type { Conflict, Decision } from './conflict-queries.ts'
import { ConflictSides } from './conflict-sides.tsx'
import { OwnValue } from './own-value.tsx'
import type { Decisions } from './use-decisions.ts'
import classes from './conflicts.module.css'

/** What cards of one list share. */
export interface CardPlace {
  readonly fieldsOf: (object: string) => readonly FieldDefinition[]
  readonly context: FieldContext
  readonly ownDevice: string | undefined
  readonly nameOf: (object: string, id: string) => string | undefined
  readonly decisions: Decisions
}

/** One conflict. `focusable` takes part in moving by arrows. */
export function ConflictCard(props: { conflict: Conflict; place: CardPlace; focusable?: boolean }) {
  const { conflict, place } = props
  const { decisions } = place
  const [chosen, setChosen] = useState<number>()
  const [writing, setWriting] = useState(false)
  const card = useRef<HTMLLIElement>(null)
  const fields = place.fieldsOf(conflict.object)
  const field = fields.find(({ name }) => name === conflict.field)
  const about = field ? fieldLabel(field) : aboutText(conflict, fields)
  const kind = t(isOfItem(conflict) ? 'conflicts.kind.item_removed' : `conflicts.kind.${conflict.kind}`)
  const isOpen = conflict.state === 'open'
  const busy = decisions.busy.has(conflict.id)
  const sides = sidesOf(conflict)
  const ways = otherWays(conflict)
  // In a popover it stands under the heading of whatever it is opened from.
  const Heading = props.focusable ? 'h3' : 'p'

  const decide = async (decision: Decision, label: string): Promise<void> => {
    // The card may go with its conflict; the one after it takes the focus.
    const next = nextCard(card.current)
    const hadFocus = card.current?.contains(document.activeElement) === true
    const isDone = await decisions.decide(conflict, decision, label)
    // Its sides may be others by now.
    setChosen(undefined)
    if (!isDone) return
    setWriting(false)
    if (hadFocus) next?.focus()
  }
  const take = async ({ decision, label }: Choice): Promise<void> => {
    const isRemoval = label === 'conflicts.refused.remove'
    const isSure =
      !isRemoval ||
      (await confirmAction({
        title: t('conflicts.refused.remove.title'),
        body: t('conflicts.refused.remove.text'),
        confirmLabel: t(label),
      }))
    if (isSure) await decide(decision, t(label))
  }
  const stopWriting = (): void => {
    setWriting(false)
    card.current?.focus()
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen || busy || event.target !== card.current || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '1' || event.key === '2') {
      const at = Number(event.key) - 1
      if (sides[at]?.choice === undefined) return
      event.preventDefault()
      setChosen(at)
    } else if (event.key.toLowerCase() === 'e' && field !== undefined && ways.value !== undefined) {
      event.preventDefault()
      setWriting(true)
    } else if (event.key === 'Enter' && chosen !== undefined) {
      const choice = sides[chosen]?.choice
      event.preventDefault()
      if (choice) void take(choice)
    }
  }

  return (
    <li
      ref={card}
      className={classes.card}
      tabIndex={props.focusable ? 0 : undefined}
      data-card={props.focusable || undefined}
      aria-label={t('conflicts.card', { about, kind })}
      aria-busy={busy || undefined}
      onKeyDown={onKeyDown}
    >
      <div className={classes.cardHead}>
        <Heading className={classes.about}>{about}</Heading>
        <span className={classes.kind}>{kind}</span>
        <span className={classes.when}>
          {isOpen
            ? t('conflicts.found', { when: formatMoment(conflict.foundAt) })
            : t('conflicts.ended', {
                how: t(endingOf(conflict)),
                when: formatMoment(conflict.resolvedAt),
              })}
        </span>
      </div>
      {conflict.kind !== 'field' && <p className={classes.why}>{whyText(conflict, fields)}</p>}
      {isOpen && triedText(conflict) !== '' && <p className={classes.why}>{triedText(conflict)}</p>}
      <ConflictSides
        conflict={conflict}
        fields={fields}
        context={place.context}
        ownDevice={place.ownDevice}
        chosen={chosen}
        onChoose={isOpen ? ({ choice }) => choice && void take(choice) : undefined}
        busy={busy}
        hasKeys={props.focusable === true}
        nameOf={place.nameOf}
      />
      {isOpen && writing && field !== undefined && ways.value !== undefined && (
        <OwnValue
          field={field}
          context={place.context}
          value={conflict.kind === 'orphan' || conflict.kind === 'validation' ? null : conflict.winner.value}
          recordId={conflict.recordId}
          label={t('conflicts.apply')}
          busy={busy}
          onApply={(value) => void decide({ choice: ways.value!.choice, value }, t('conflicts.own'))}
          onCancel={stopWriting}
        />
      )}
      {isOpen && !writing && (ways.actions.length > 0 || (field !== undefined && ways.value !== undefined)) && (
        <div className={classes.actions}>
          {ways.actions.map((choice) => (
            <Button
              key={choice.label}
              size="compact-sm"
              variant="default"
              disabled={busy}
              onClick={() => void take(choice)}
            >
              {t(choice.label)}
            </Button>
          ))}
          {field !== undefined && ways.value !== undefined && (
            <Button
              size="compact-sm"
              variant="subtle"
              disabled={busy}
              aria-keyshortcuts="E"
              onClick={() => setWriting(true)}
            >
              {t(ways.value.label)}
              {props.focusable && <kbd className={classes.key}>E</kbd>}
            </Button>
          )}
        </div>
      )}
      {!isOpen && (conflict.kind !== 'refused' || conflict.resolution === 'keep') && (
        <div className={classes.actions}>
          <Button
            size="compact-sm"
            variant="default"
            disabled={busy}
            onClick={() => void decisions.reopen([conflict.id])}
          >
            {t('conflicts.reopen')}
          </Button>
        </div>
      )}
    </li>
  )
}

/** What of a record or a definition a conflict is about that is no field. */
function aboutText({ item, feedItem, refusal, winner, losers }: Conflict, fields: readonly FieldDefinition[]): string {
  if (item) return propertyText(item)
  // A record that is only on one side is meant as a whole.
  const isWhole = [winner, ...losers].some(({ value }) => value === null)
  if (refusal !== undefined && refusal.fields.length > 0 && !isWhole) return labelsOf(refusal.fields, fields).join(', ')
  if (feedItem === undefined) return t('conflicts.record')
  return t(feedItem.part === 'body' ? 'conflicts.feed.body' : 'conflicts.feed.data')
}

/** A definition that was removed while somebody changed it, or wrote to its records. */
function isOfItem({ kind, item }: Conflict): boolean {
  return kind === 'delete_edit' && item !== undefined
}

function labelsOf(names: readonly string[], fields: readonly FieldDefinition[]): string[] {
  return names.map((name) => {
    const field = fields.find((one) => one.name === name)
    return field ? fieldLabel(field) : name
  })
}

/** What came of asking the other device to try again. */
function triedText({ refusal, winner }: Conflict): string {
  const device = winner.device.name
  if (refusal?.askedAt !== undefined)
    return t('conflicts.refused.asked', { device, when: formatMoment(refusal.askedAt) })
  if (refusal?.triedAt !== undefined)
    return t('conflicts.refused.tried', { device, when: formatMoment(refusal.triedAt) })
  return ''
}

function whyText(conflict: Conflict, fields: readonly FieldDefinition[]): string {
  const { kind, refusal, winner } = conflict
  if (kind === 'field') return ''
  if (refusal)
    return t('conflicts.why.refused', {
      device: winner.device.name,
      reason: refusalReason(refusal, labelsOf(refusal.closed, fields)),
    })
  if (conflict.feedItem) return t('conflicts.why.feed')
  return t(isOfItem(conflict) ? 'conflicts.why.item_removed' : `conflicts.why.${kind}`)
}

function endingOf({ kind, resolution = '' }: Conflict): StringKey {
  if (kind === 'refused' && resolution === 'winner') return 'conflicts.end.takenBack'
  if (kind === 'refused' && resolution === 'elsewhere') return 'conflicts.end.accepted'
  return endings[resolution] ?? 'conflicts.end.other'
}

const endings: Readonly<Record<string, StringKey>> = {
  keep: 'conflicts.end.keep',
  winner: 'conflicts.end.winner',
  loser: 'conflicts.end.loser',
  value: 'conflicts.end.value',
  both: 'conflicts.end.both',
  restore: 'conflicts.end.restore',
  delete: 'conflicts.end.delete',
  adopt: 'conflicts.end.adopt',
  merge: 'conflicts.end.merge',
  edit: 'conflicts.end.edit',
  same: 'conflicts.end.same',
  elsewhere: 'conflicts.end.elsewhere',
}

/** The card after this one, or the one before it where it is the last. */
function nextCard(card: HTMLElement | null): HTMLElement | undefined {
  const cards = [...(card?.closest('[data-cards]')?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
  const at = cards.findIndex((one) => one === card)
  return cards[at + 1] ?? cards[at - 1]
}
