// Owns changing the shares of a record, each change with its way back.
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { pushUndo } from '../../lib/undo.ts'
import type { Principal, Share, SharedRecord, ShareLevel } from './share-queries.ts'

type Named = Pick<Principal, 'principalType' | 'principalId'> & { name: string }

/** Shares a record, or changes a share there is; `before` is the level it had. @throws ApiError */
export async function putShare(
  record: SharedRecord,
  principal: Named,
  access: ShareLevel,
  before: ShareLevel | undefined,
): Promise<void> {
  let given = (await give(record, principal, access)).id
  remember(
    principal,
    async () => {
      if (before === undefined) await end(record, given)
      else await give(record, principal, before)
    },
    async () => {
      given = (await give(record, principal, access)).id
    },
  )
}

/** Ends a share. @throws ApiError */
export async function endShare(record: SharedRecord, share: Share, name: string): Promise<void> {
  await end(record, share.id)
  const { principalType, principalId, access } = share
  const principal = { principalType, principalId, name }
  let given = share.id
  remember(
    principal,
    async () => {
      given = (await give(record, principal, access)).id
    },
    async () => end(record, given),
  )
}

async function give({ object, id }: SharedRecord, principal: Named, access: ShareLevel): Promise<{ id: string }> {
  const { principalType, principalId } = principal
  return call('createShare', { params: { object, id }, body: { principalType, principalId, access } })
}

async function end({ object, id }: SharedRecord, shareId: string): Promise<void> {
  await call('deleteShare', { params: { object, id, shareId } })
}

function remember({ name }: Named, undo: () => Promise<void>, redo: () => Promise<void>): void {
  pushUndo({ label: t('share.step', { name }), undo, redo })
}
