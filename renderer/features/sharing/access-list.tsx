// Owns the table of who has access to a record, why, and how far; shares are changed and ended in it.
import { Button, NativeSelect } from '@mantine/core'
import { ListTable } from '../../components/list-table.tsx'
import { formatMoment } from '../../lib/format.ts'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { shareLevels } from './share-queries.ts'
import type { Share, SharedRecord, ShareLevel } from './share-queries.ts'
import { endShare, putShare } from './share-steps.ts'

/** The table. */
export function AccessList(props: {
  record: SharedRecord
  /** What the records of the object are called. */
  objects: string
  model: 'private' | 'read' | 'read_write' | 'full'
  owner: { id: string; name: string | undefined }
  shares: readonly Share[]
  mayShare: boolean
  onChanged: () => Promise<void>
}) {
  const { record, owner, model } = props
  const columns = [
    { label: t('word.who') },
    { label: t('share.why') },
    { label: t('word.may') },
    { label: t('word.actions'), hidden: true },
  ]
  const ownerName = owner.name ?? t(owner.id === 'system' ? 'share.owner.system' : 'share.owner.gone')
  return (
    <ListTable label={t('share.list', { record: record.label })} columns={columns}>
      <tr>
        <th scope="row">{ownerName}</th>
        <td data-quiet>{t('share.owner')}</td>
        <td>{t('share.owner.may')}</td>
        <td />
      </tr>
      {model !== 'private' && (
        <tr>
          <th scope="row">{t('share.everybody', { object: props.objects })}</th>
          <td data-quiet>{t('share.model', { object: props.objects })}</td>
          <td>{t(`share.model.${model}`)}</td>
          <td />
        </tr>
      )}
      {props.shares.map((share) => (
        <ShareLine key={share.id} {...props} share={share} />
      ))}
    </ListTable>
  )
}

function ShareLine(props: { record: SharedRecord; share: Share; mayShare: boolean; onChanged: () => Promise<void> }) {
  const { record, share } = props
  const name = share.principalName ?? t('share.gone')
  const run = async (change: () => Promise<void>, message: string): Promise<void> => {
    try {
      await change()
      showToast({ message, tone: 'good' })
    } catch (error) {
      showProblem(error)
    }
    await props.onChanged()
  }
  const { principalType, principalId } = share
  return (
    <tr>
      <th scope="row">
        {name}
        <span className={parts.under}>{t(`share.kind.${principalType}`)}</span>
      </th>
      <td data-quiet>{t('share.sharedPlain', { date: formatMoment(share.createdAt) })}</td>
      <td>
        {props.mayShare ? (
          <NativeSelect
            size="xs"
            aria-label={t('share.levelOf', { name })}
            value={share.access}
            data={shareLevels.map((value) => ({ value, label: t(`share.level.${value}`) }))}
            onChange={(event) => {
              const level = event.currentTarget.value as ShareLevel
              const principal = { principalType, principalId, name }
              void run(async () => putShare(record, principal, level, share.access), t('share.changed', { name }))
            }}
          />
        ) : (
          t(`share.level.${share.access}`)
        )}
      </td>
      <td data-end>
        {props.mayShare && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('share.removeOf', { name })}
            onClick={() => void run(async () => endShare(record, share, name), t('share.removed', { name }))}
          >
            {t('word.remove')}
          </Button>
        )}
      </td>
    </tr>
  )
}
