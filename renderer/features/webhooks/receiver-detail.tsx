// Owns what is shown of one receiver: its address, what a call does, and how to sign one.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { CodeText } from '../../components/code-text.tsx'
import { FactList } from '../../components/fact-list.tsx'
import type { Fact } from '../../components/fact-list.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { callExample } from './call-example.ts'
import { DetailHead } from './detail-head.tsx'
import { receiversPath } from './webhook-places.ts'
import { refreshWebhooks } from './webhook-queries.ts'
import type { Receiver } from './webhook-queries.ts'
import classes from './webhooks.module.css'

/** The detail. */
export function ReceiverDetail(props: { receiver: Receiver; onEdit: () => void }) {
  const { receiver } = props
  const { name } = receiver
  const title = receiver.label ?? name
  const client = useQueryClient()
  const run = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      showProblem(error)
    }
    await refreshWebhooks(client)
  }
  const remove = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('receivers.delete.title', { name: title }),
      body: t('receivers.delete.body'),
      confirmLabel: t('receivers.delete'),
    })
    if (!yes) return
    await call('deleteReceiver', { params: { name } })
    showToast({ message: t('receivers.deleted', { name: title }) })
    navigate(receiversPath)
  }
  return (
    <section aria-labelledby="receiver-name">
      <DetailHead
        id="receiver-name"
        title={title}
        description={receiver.description}
        help={t('receivers.active.help')}
        isActive={receiver.isActive}
        isStopped={receiver.stopped !== undefined}
        onActive={(isActive) =>
          void run(async () => void (await call('updateReceiver', { params: { name }, body: { isActive } })))
        }
      >
        <Button variant="default" onClick={props.onEdit}>
          {t('word.edit')}
        </Button>
        <Button variant="subtle" onClick={() => void run(remove)}>
          {t('word.deleteDots')}
        </Button>
      </DetailHead>
      {receiver.verificationType === 'none' && (
        <div className={classes.notice}>
          <Notice tone="warn" title={t('receivers.open')}>
            {t('receivers.open.text')}
          </Notice>
        </div>
      )}
      <div className={classes.notice}>
        <CopyField label={t('receivers.url')} value={receiver.url} />
      </div>
      <Facts receiver={receiver} />
      <section className={classes.part} aria-labelledby="receiver-call">
        <h3 id="receiver-call">{t('receivers.call')}</h3>
        <p className={parts.lead}>{t(helpOf(receiver))}</p>
        <div className={classes.notice}>
          <CodeText label={t('receivers.curl')} text={callExample(receiver)} />
        </div>
      </section>
    </section>
  )
}

function helpOf(receiver: Receiver) {
  const { verificationType: type, verificationParams: params } = receiver
  return type === 'hmac'
    ? (`receivers.help.${params['scheme'] === 'hex' ? 'hex' : 'standard'}` as const)
    : (`receivers.help.${type}` as const)
}

function Facts({ receiver }: { receiver: Receiver }) {
  const mapped = Object.entries(receiver.mapping ?? {}).map(([field, source]) => `${field} = ${source}`)
  const facts: readonly Fact[] = [
    [t('word.name'), receiver.name],
    [t('receivers.verification'), t(`receivers.verification.${receiver.verificationType}`)],
    [t('receivers.action'), `${t(`receivers.action.${receiver.action}`)}: ${receiver.target}`],
    ...(mapped.length > 0 ? [[t('receivers.mapping'), mapped.join('; ')] as const] : []),
    ...(receiver.externalIdField === undefined ? [] : [[t('receivers.externalId'), receiver.externalIdField] as const]),
    [t('word.answer'), t(`receivers.response.${receiver.responseMode}`)],
    [t('word.made'), formatMoment(receiver.createdAt)],
  ]
  return <FactList facts={facts} />
}
