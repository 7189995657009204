// Owns changing the shares of a record, each change with its way back.
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { Principal, Share, SharedRecord, ShareLevel } from './share-queries.ts'

type Named = Pick<Principal, 'principalType' | 'principalId'> & { name: string }

/** A change of a share: the level before and after, undefined for no share. */
interface ShareStep {
  record: Pick<SharedRecord, 'object' | 'id'>
  principal: Pick<Principal, 'principalType' | 'principalId'>
  before: ShareLevel | undefined
  after: ShareLevel | undefined
  /** Id of the share there was last. */
  shareId: string
}

const remember = defineUndo<ShareStep>('sharing.share', {
  undo: async (step) => ({ data: await bring(step, step.before) }),
  redo: async (step) => ({ data: await bring(step, step.after) }),
})

async function bring(step: ShareStep, level: ShareLevel | undefined): Promise<ShareStep> {
  if (level !== undefined) return { ...step, shareId: (await give(step.record, step.principal, level)).id }
  await end(step.record, step.shareId)
  return step
}

/** Shares a record, or changes a share there is; `before` is the level it had. @throws ApiError */
export async function putShare(
  record: SharedRecord,
  principal: Named,
  access: ShareLevel,
  before: ShareLevel | undefined,
): Promise<void> {
  const { id: shareId } = await give(record, principal, access)
  rememberShare(record, principal, { before, after: access, shareId })
}

/** Ends a share. @throws ApiError */
export async function endShare(record: SharedRecord, share: Share, name: string): Promise<void> {
  const { principalType, principalId, access, id: shareId } = share
  await end(record, shareId)
  rememberShare(record, { principalType, principalId, name }, { before: access, after: undefined, shareId })
}

function rememberShare(
  { object, id }: SharedRecord,
  { principalType, principalId, name }: Named,
  change: Pick<ShareStep, 'before' | 'after' | 'shareId'>,
): void {
  const step = { record: { object, id }, principal: { principalType, principalId }, ...change }
  remember(t('share.step', { name }), step)
}

async function give(
  { object, id }: ShareStep['record'],
  principal: ShareStep['principal'],
  access: ShareLevel,
): Promise<{ id: string }> {
  const { principalType, principalId } = principal
  return call('createShare', { params: { object, id }, body: { principalType, principalId, access } })
}

async function end({ object, id }: ShareStep['record'], shareId: string): Promise<void> {
  await call('deleteShare', { params: { object, id, shareId } })
}
