// Owns the dialog that says who has access to a record and why, shares it, and gives it to another owner.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { ownRightsQuery } from '../../lib/own-rights.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t } from '../../lib/strings.ts'
import { objectLabel, objectPluralLabel, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { AccessList } from './access-list.tsx'
import { AddShare } from './add-share.tsx'
import { accessKey, mayTransferQuery, ownerQuery, principalsQuery, sharesQuery } from './share-queries.ts'
import type { SharedRecord } from './share-queries.ts'
import { TransferForm } from './transfer-form.tsx'
import classes from './sharing.module.css'

/** The dialog; an undefined record shows nothing. */
export function ShareDialog(props: { object: ObjectItem; record: SharedRecord | undefined; onClose: () => void }) {
  const { record, object } = props
  return (
    <Dialog
      opened={record !== undefined}
      onClose={props.onClose}
      title={t('share.title', { record: record?.label ?? '' })}
      size="lg"
    >
      {record && <Access key={record.id} object={object} record={record} onClose={props.onClose} />}
    </Dialog>
  )
}

function Access(props: { object: ObjectItem; record: SharedRecord; onClose: () => void }) {
  const { object, record } = props
  const client = useQueryClient()
  const shares = useQuery(sharesQuery(record))
  const owner = useQuery(ownerQuery(record))
  const candidates = useQuery(principalsQuery(record, ''))
  const transfer = useQuery(mayTransferQuery(record))
  const { data: rights } = useQuery(ownRightsQuery)
  const master = useMasterOf(object)
  const error = shares.error ?? owner.error ?? candidates.error
  if (error) {
    if (hasCode(error, 'resource_not_found')) return <EmptyState title={t('share.missing')} />
    return <LoadFailure error={error} onRetry={() => void client.refetchQueries({ queryKey: accessKey(record) })} />
  }
  if (!shares.data || !owner.data || candidates.data === undefined || transfer.data === undefined) {
    return <p role="status">{t('word.loading')}</p>
  }
  const refresh = async (): Promise<void> => client.invalidateQueries({ queryKey: accessKey(record) })
  const mayShare = candidates.data !== null && master === undefined
  return (
    <div className={classes.stack}>
      <section aria-labelledby="share-access">
        <h3 id="share-access" className={classes.heading}>
          {t('share.access')}
        </h3>
        <AccessList
          record={record}
          objects={objectPluralLabel(object)}
          model={sharingModelOf(object)}
          owner={owner.data}
          shares={shares.data}
          mayShare={mayShare}
          onChanged={refresh}
        />
        <p className={classes.quiet}>
          {t(sharingModelOf(object) === 'private' ? 'share.model.private' : 'share.above')}{' '}
          {rights?.systemPermissions.includes('manage_permissions') && (
            <a href="#/access/check" className={classes.link}>
              {t('share.explain')}
            </a>
          )}
        </p>
      </section>
      {master !== undefined && <p className={classes.quiet}>{t('share.detail', { object: master })}</p>}
      {master === undefined && !mayShare && <p className={classes.quiet}>{t('share.readOnly')}</p>}
      {mayShare && <AddShare record={record} owner={owner.data.id} shares={shares.data} onChanged={refresh} />}
      {transfer.data && candidates.data !== null && (
        <TransferForm
          record={record}
          owner={owner.data.id}
          onDone={() => {
            tellRecordsChanged(object.name)
            void refresh()
            props.onClose()
          }}
        />
      )}
    </div>
  )
}

/** @source D-46 */
function sharingModelOf(object: ObjectItem): 'private' | 'read' | 'read_write' | 'full' {
  const model = object['sharingModel']
  return model === 'private' || model === 'read' || model === 'full' ? model : 'read_write'
}

/** What the object is called whose records decide over this one's; undefined for records of their own. */
function useMasterOf(object: ObjectItem): string | undefined {
  const { data: objects } = useObjects()
  const field = Object.values(object.fields).find(({ type }) => type === 'master_detail')
  if (!field) return undefined
  const master = objects?.find(({ name }) => name === field.reference)
  return master ? objectLabel(master) : (field.reference ?? field.label ?? '')
}
