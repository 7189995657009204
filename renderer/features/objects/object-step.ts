// Owns the step of the undo list that changed the definition of an object without losing a value: putting the other
// definition back. A change that destroys data has its backup instead.
import { call, callTagged } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { refreshAnswers } from '../../lib/query-client.ts'
import { refreshRecords } from '../../lib/record-changes.ts'
import { t } from '../../lib/strings.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { UndoResult } from '../../lib/undo.ts'
import type { ObjectItem } from './object-item.ts'

type Definition = Readonly<Record<string, unknown>>

/** The definition of an object before and after, without its version. */
export interface ObjectStep {
  name: string
  before: Definition
  after: Definition
}

const addStep = defineUndo<ObjectStep>('objects.change', {
  undo: async (step) => bring(step, step.before, step.after),
  redo: async (step) => bring(step, step.after, step.before),
})

/** Adds a step of a definition that has just been saved over another one, as the host keeps it now. */
export async function rememberObject(before: ObjectItem, label: string): Promise<void> {
  const { item } = await stored(before.name)
  addStep(t('undo.object.step', { object: label }), { name: before.name, before: bare(before), after: item })
}

async function stored(name: string): Promise<{ item: Definition; etag: string | undefined }> {
  const { result, etag } = await callTagged('getMetadataItem', { params: { type: 'object', name } })
  return { item: bare({ ...result.item, name }), etag }
}

function bare({ etag: _etag, ...item }: Definition): Definition {
  return item
}

/** Saves a definition over the other one; asks first where values would be lost. @throws ApiError */
async function bring({ name }: ObjectStep, to: Definition, from: Definition): Promise<UndoResult<ObjectStep> | void> {
  const { item, etag } = await stored(name)
  if (JSON.stringify(item) !== JSON.stringify(from)) return { left: t('undo.object.stale') }
  const input = {
    params: { type: 'object', name },
    body: { type: 'object', name, item: to },
    headers: etag === undefined ? undefined : { 'If-Match': etag },
  }
  const { plan = [], planHash } = await call('saveMetadataItem', { ...input, query: { dryRun: 'true' } })
  const question = {
    title: t('undo.object.title'),
    body: t('undo.object.body'),
    confirmLabel: t('undo.object.confirm'),
  }
  const loses = plan.some((step) => step.destructive)
  if (loses && !(await confirmAction(question))) return { left: t('undo.object.left') }
  await call('saveMetadataItem', { ...input, query: { confirm: loses ? planHash : undefined } })
  await refreshAnswers(['objects'])
  refreshRecords(name)
}
