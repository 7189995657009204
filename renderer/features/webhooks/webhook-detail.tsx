// Owns what is shown of one webhook: how it is set up, its switch, a test, a new secret, and its deliveries.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeText, readable } from '../../components/code-text.tsx'
import { FactList } from '../../components/fact-list.tsx'
import type { Fact } from '../../components/fact-list.tsx'
import { Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { formatMoment } from '../../lib/format.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { DeliveryList } from './delivery-list.tsx'
import { DetailHead } from './detail-head.tsx'
import type { ShownSecret } from './outgoing-part.tsx'
import { answerText, retryText, sendText } from './webhook-words.ts'
import { webhooksPath } from './webhook-places.ts'
import { refreshWebhooks } from './webhook-queries.ts'
import type { Webhook } from './webhook-queries.ts'
import classes from './webhooks.module.css'

type TestResult = CallResult<'testWebhook'>

/** The detail. */
export function WebhookDetail(props: { webhook: Webhook; onEdit: () => void; onSecret: (shown: ShownSecret) => void }) {
  const { webhook } = props
  const { name } = webhook
  const title = webhook.label ?? name
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [tested, setTested] = useState<TestResult>()
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
      await refreshWebhooks(client)
    }
  }
  const test = async (): Promise<void> => {
    setTested(undefined)
    setTested(await call('testWebhook', { params: { name } }))
  }
  const rotate = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('webhooks.rotate.title', { name: title }),
      body: t('webhooks.rotate.body'),
      confirmLabel: t('webhooks.rotate'),
    })
    if (!yes) return
    const { secret } = await call('rotateWebhookSecret', { params: { name } })
    props.onSecret({ name: title, secret })
  }
  const remove = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('webhooks.delete.title', { name: title }),
      body: t('webhooks.delete.body'),
      confirmLabel: t('webhooks.delete'),
    })
    if (!yes) return
    await call('deleteWebhook', { params: { name } })
    showToast({ message: t('webhooks.deleted', { name: title }) })
    navigate(webhooksPath)
  }
  return (
    <section aria-labelledby="webhook-name">
      <DetailHead
        id="webhook-name"
        title={title}
        description={webhook.description}
        help={t('webhooks.active.help')}
        isActive={webhook.isActive}
        isStopped={webhook.stopped !== undefined}
        onActive={(isActive) =>
          void run(async () => void (await call('updateWebhook', { params: { name }, body: { isActive } })))
        }
      >
        <Button variant="default" loading={busy} onClick={() => void run(test)}>
          {t('webhooks.test')}
        </Button>
        <Button variant="default" onClick={props.onEdit}>
          {t('word.edit')}
        </Button>
        <Button variant="subtle" onClick={() => void run(rotate)}>
          {t('webhooks.rotate.open')}
        </Button>
        <Button variant="subtle" onClick={() => void run(remove)}>
          {t('word.deleteDots')}
        </Button>
      </DetailHead>
      <Facts webhook={webhook} />
      {tested && <Tested result={tested} />}
      <DeliveryList name={name} />
    </section>
  )
}

function Facts({ webhook }: { webhook: Webhook }) {
  const type = webhook.authentication?.type ?? 'none'
  const facts: readonly Fact[] = [
    [t('word.name'), webhook.name],
    [t('webhooks.sends'), sendText(webhook)],
    [t('word.address'), `${webhook.method} ${webhook.url}`],
    [
      t('webhooks.payload'),
      webhook.body !== undefined
        ? t('webhooks.payload.own')
        : webhook.payloadFields.length === 0
          ? t('webhooks.payload.all')
          : webhook.payloadFields.join(', '),
    ],
    [
      t('webhooks.authentication'),
      type === 'bearer' || type === 'basic' || type === 'api-key'
        ? t(`webhooks.authentication.${type}`)
        : t('webhooks.authentication.none'),
    ],
    [t('webhooks.signature'), t('webhooks.signature.text')],
    [t('webhooks.retries'), retryText(webhook)],
    ...(webhook.tags.length > 0 ? [[t('webhooks.tags'), webhook.tags.join(', ')] as const] : []),
    [t('word.made'), formatMoment(webhook.createdAt)],
  ]
  return <FactList facts={facts} />
}

function Tested({ result }: { result: TestResult }) {
  const isGood = result.status === 'success'
  return (
    <div className={classes.notice}>
      <Notice tone={isGood ? 'good' : 'bad'} title={t(isGood ? 'webhooks.tested' : 'webhooks.tested.failed')} live>
        <p>{answerText({ responseStatus: result.responseStatus, durationMs: result.durationMs })}</p>
        {result.responseBody !== undefined && result.responseBody !== '' && (
          <CodeText label={t('deliveries.answer')} text={readable(result.responseBody)} />
        )}
      </Notice>
    </div>
  )
}
