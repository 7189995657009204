// Owns editing one field, or adding one beside another, from the records of its object: the dialog of the field, the plan
// where values change, one save. The designer keeps a draft of many changes; here each is saved by itself.
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { hasCode } from '../../lib/api-error.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { applyDraft, draftOf, newFieldName, replaceField } from './field-draft.ts'
import { labelsOf, objectPluralLabel } from './object-item.ts'
import type { FieldItem, ObjectItem } from './object-item.ts'
import { refreshObjects } from './object-queries.ts'
import { rememberObject } from './object-step.ts'
import { saveObject } from './save-object.ts'
import type { PendingPlan } from './save-object.ts'

const FieldDialog = lazyPart(async () => ({ default: (await import('./field-dialog.tsx')).FieldDialog }))
const PlanDialog = lazyPart(async () => ({ default: (await import('./plan-dialog.tsx')).PlanDialog }))

/** What is edited: a field, perhaps its type first, or a new one beside another. */
export type FieldPlace = { field: string; picking?: boolean } | { beside: string; side: 'before' | 'after' }

/** The dialogs; `place` undefined shows nothing. */
export function FieldInPlace(props: {
  object: ObjectItem
  place: FieldPlace | undefined
  onClose: () => void
  /** Told the name of a field that was added, after the object is stored. */
  onAdded: (name: string, place: FieldPlace) => void
}) {
  const { object, place } = props
  const client = useQueryClient()
  const [plan, setPlan] = useState<{ pending: PendingPlan; next: ObjectItem }>()
  const [busy, setBusy] = useState(false)
  const draft = draftOf(object)
  const edited =
    place === undefined
      ? undefined
      : 'beside' in place
        ? ('new' as const)
        : draft.fields.find(({ name }) => name === place.field)

  const save = async (next: ObjectItem, confirm?: string): Promise<boolean> => {
    setBusy(true)
    try {
      const outcome = await saveObject(object, next, confirm, ({ change }) => change === 'retype_field')
      setPlan(outcome.plan && { pending: outcome.plan, next })
      if (outcome.plan) return false
      // What destroys data is not undone by a key: its backup brings it back.
      if (confirm === undefined) await rememberObject(object, objectPluralLabel(object))
      await refreshObjects(client)
      return true
    } catch (error) {
      setPlan(undefined)
      const message = hasCode(error, 'CONCURRENT_UPDATE') ? t('object.conflict') : problemText(error)
      showToast({ message, tone: 'bad', stays: true })
      return false
    } finally {
      setBusy(false)
    }
  }

  const finish = async (item: FieldItem, goOn: boolean): Promise<void> => {
    if (place === undefined) return
    if (!('beside' in place)) {
      if (await save(applyDraft(object, replaceField(draft, place.field, item)))) props.onClose()
      return
    }
    const label = item.label?.trim() ?? ''
    const name = newFieldName(draft, label)
    const at = draft.fields.findIndex((field) => field.name === place.beside)
    const added = { name, item: { ...item, label }, added: true, deleted: false }
    const fields = draft.fields.toSpliced(place.side === 'before' ? at : at + 1, 0, added)
    if (!(await save(applyDraft(object, { ...draft, fields })))) return
    props.onAdded(name, place)
    if (!goOn) props.onClose()
  }

  return (
    <Suspense fallback={null}>
      <FieldDialog
        object={object}
        draft={draft}
        field={edited}
        picking={place !== undefined && 'field' in place && place.picking === true}
        onClose={props.onClose}
        onDone={(item, goOn) => !busy && void finish(item, goOn)}
      />
      <PlanDialog
        object={object}
        plan={plan?.pending}
        labels={{ ...labelsOf(object), ...(plan && labelsOf(plan.next)) }}
        busy={busy}
        onCancel={() => setPlan(undefined)}
        onConfirm={(hash) =>
          plan &&
          void save(plan.next, hash).then((saved) => {
            if (saved) props.onClose()
          })
        }
      />
    </Suspense>
  )
}
