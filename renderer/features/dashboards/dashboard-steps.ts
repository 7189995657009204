// Owns writing dashboards, and the steps of the undo list that made, changed and deleted them or moved a tile of an open
// draft.
import { call, callTagged } from '../../lib/api-client.ts'
import { refreshAnswers } from '../../lib/query-client.ts'
import { t } from '../../lib/strings.ts'
import { defineUndo, dropUndo } from '../../lib/undo.ts'
import type { UndoResult, UndoStep } from '../../lib/undo.ts'
import type { Dashboard } from './dashboard-item.ts'
import { dashboardsKey } from './dashboard-queries.ts'

// Steps of an earlier visit are taken back without the screens.

type Item = Readonly<Record<string, unknown>>

/** A dashboard before and after, as the host keeps it; null where there was none. */
interface SavedStep {
  name: string
  before: Item | null
  after: Item | null
}

const addSaved = defineUndo<SavedStep>('dashboards.saved', {
  undo: async (step) => bring(step.name, step.before, step.after),
  redo: async (step) => bring(step.name, step.after, step.before),
})

/** The item as the host keeps it. The list is asked first: that there is none is no failure. */
async function stored(name: string): Promise<{ item: Item | null; etag: string | undefined }> {
  const { items } = await call('listMetadataItems', { params: { type: 'dashboard' }, query: {} })
  if (!items.some((item) => item['name'] === name)) return { item: null, etag: undefined }
  const { result, etag } = await callTagged('getMetadataItem', { params: { type: 'dashboard', name } })
  return { item: { ...result.item, name }, etag }
}

async function put(name: string, item: Item, etag: string | undefined): Promise<void> {
  await call('saveMetadataItem', {
    params: { type: 'dashboard', name },
    body: { type: 'dashboard', name, item },
    headers: etag === undefined ? undefined : { 'If-Match': etag },
  })
}

async function bring(name: string, to: Item | null, from: Item | null): Promise<UndoResult<SavedStep> | void> {
  const { item, etag } = await stored(name)
  if (JSON.stringify(item) !== JSON.stringify(from)) return { left: t('undo.dashboard.stale') }
  if (to === null) await call('deleteMetadataItem', { params: { type: 'dashboard', name } })
  else await put(name, to, etag)
  await refreshAnswers(dashboardsKey)
}

/**
 * Stores a dashboard and adds the step that takes it back.
 * @param etag token of the version it was made of; undefined for a new one
 * @throws ApiError CONCURRENT_UPDATE when it was changed elsewhere since
 */
export async function saveDashboard(label: string, name: string, item: Item, etag?: string): Promise<UndoStep> {
  const before = await stored(name)
  await put(name, item, etag ?? before.etag)
  const after = await stored(name)
  const step = addSaved(label, { name, before: before.item, after: after.item })
  await refreshAnswers(dashboardsKey)
  return step
}

/**
 * Deletes a dashboard and adds the step that brings it back. Of a package, what was changed of it goes, and it stays.
 * @throws ApiError item_locked when a package brought it and nothing was changed
 */
export async function deleteDashboard(label: string, name: string): Promise<{ step: UndoStep; isGone: boolean }> {
  const before = await stored(name)
  await call('deleteMetadataItem', { params: { type: 'dashboard', name } })
  const after = await stored(name)
  const step = addSaved(label, { name, before: before.item, after: after.item })
  // The page of one that is gone is about to be left: it is not asked for again.
  await refreshAnswers([...dashboardsKey, 'all'], ...(after.item ? [[...dashboardsKey, 'one', name]] : []))
  return { step, isGone: after.item === null }
}

/** What of a dashboard is edited. */
export type DashboardDraft = Pick<Dashboard, 'label' | 'tiles'>

/** A draft before and after a change; `editor` is the opening of the editor it belongs to. */
interface DraftStep {
  editor: string
  before: DashboardDraft
  after: DashboardDraft
}

interface OpenEditor {
  id: string
  show(draft: DashboardDraft): void
  steps: { step: UndoStep; what: string; at: number; before: DashboardDraft }[]
}

let open: OpenEditor | undefined

const addDraft = defineUndo<DraftStep>('dashboards.draft', {
  undo: async (step) => showDraft(step, step.before),
  redo: async (step) => showDraft(step, step.after),
})

function showDraft(step: DraftStep, draft: DashboardDraft): UndoResult<DraftStep> {
  if (open?.id !== step.editor) return { left: t('undo.dashboard.gone') }
  open.show(draft)
  return {}
}

/** Letters of one text that follow each other within this time are one step, in milliseconds. */
const oneStepMs = 1_000

/** Tells which editor shows steps of its draft; answers what ends that and forgets them, because the draft is gone. */
export function openDraft(id: string, show: (draft: DashboardDraft) => void): () => void {
  const editor: OpenEditor = { id, show, steps: [] }
  open = editor
  return () => {
    for (const { step } of editor.steps) dropUndo(step)
    if (open === editor) open = undefined
  }
}

/** Adds a step of the open draft; `what` tells steps apart that are one while they follow each other quickly. */
export function rememberDraft(label: string, what: string, before: DashboardDraft, after: DashboardDraft): void {
  if (!open) return
  const last = open.steps.at(-1)
  const isSame = last !== undefined && last.what === what && Date.now() - last.at < oneStepMs
  if (isSame) {
    dropUndo(last.step)
    open.steps.pop()
  }
  const from = isSame ? last.before : before
  const step = addDraft(label, { editor: open.id, before: from, after })
  open.steps.push({ step, what, at: Date.now(), before: from })
}
