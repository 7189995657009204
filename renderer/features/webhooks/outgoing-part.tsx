// Owns the part of outgoing webhooks: their list, the chosen one, making one and showing its secret this one time.
import { Button } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ListDetail } from '../../components/list-detail.tsx'
import { EmptyState } from '../../components/notice.tsx'
import { OnceShown } from '../../components/once-shown.tsx'
import parts from '../../components/parts.module.css'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { AccessFailure } from '../access/index.ts'
import { WebhookDetail } from './webhook-detail.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { webhookPath, webhooksPath } from './webhook-places.ts'
import { maskedSecret, refreshWebhooks, webhooksQuery } from './webhook-queries.ts'
import type { Webhook } from './webhook-queries.ts'

/** A secret that is shown once, with whose it is. */
export interface ShownSecret {
  name: string
  secret: string
}

/** The part; `name` is the chosen webhook. */
export function OutgoingPart(props: { name: string | undefined }) {
  const client = useQueryClient()
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery)
  const [editing, setEditing] = useState<Webhook | 'new'>()
  const [shown, setShown] = useState<ShownSecret>()

  const saved = (webhook: Webhook): void => {
    setEditing(undefined)
    const { name, secret } = webhook
    if (secret !== undefined && secret !== maskedSecret) setShown({ name, secret })
    void refreshWebhooks(client)
    navigate(webhookPath(name))
  }
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing('new')}>
      {t('webhooks.new')}
    </Button>
  )
  const chosen = webhooks?.find(({ name }) => name === props.name)
  return (
    <>
      {error && !webhooks && (
        <AccessFailure error={error} permission="manage_webhooks" onRetry={() => void refetch()} />
      )}
      {!error && !webhooks && <Loading />}
      {webhooks?.length === 0 && (
        <EmptyState
          title={t('webhooks.none')}
          icon={<IconWebhook size={32} stroke={1.5} aria-hidden />}
          actions={make}
        />
      )}
      {webhooks && webhooks.length > 0 && (
        <>
          <div className={parts.bar}>
            <p className={parts.quiet}>{t('webhooks.lead')}</p>
            {make}
          </div>
          <ListDetail
            label={t('webhooks.list')}
            entries={webhooks.map((webhook) => ({
              key: webhook.name,
              href: `#${webhookPath(webhook.name)}`,
              label: webhook.label ?? webhook.name,
              note: hostOf(webhook.url),
              mark: (!webhook.isActive || webhook.stopped !== undefined) && (
                <span className={parts.badge} data-tone="quiet">
                  {t(webhook.isActive ? 'webhooks.stopped' : 'webhooks.off')}
                </span>
              ),
            }))}
            chosen={props.name}
            back={{ href: `#${webhooksPath}`, label: t('webhooks.back') }}
          >
            {chosen ? (
              <WebhookDetail key={chosen.name} webhook={chosen} onEdit={() => setEditing(chosen)} onSecret={setShown} />
            ) : (
              <EmptyState title={t(props.name === undefined ? 'webhooks.choose' : 'webhooks.gone')} />
            )}
          </ListDetail>
        </>
      )}
      <WebhookDialog webhook={editing} onClose={() => setEditing(undefined)} onSaved={saved} />
      <SecretDialog shown={shown} onClose={() => setShown(undefined)} />
    </>
  )
}

function SecretDialog(props: { shown: ShownSecret | undefined; onClose: () => void }) {
  const { shown } = props
  return (
    <Dialog
      opened={shown !== undefined}
      onClose={props.onClose}
      title={t('webhooks.shown', { name: shown?.name ?? '' })}
      closeOnClickOutside={false}
    >
      {shown && (
        <OnceShown
          lead={t('webhooks.shown.lead')}
          values={[{ label: t('webhooks.secret'), value: shown.secret }]}
          done={t('word.copied')}
          onDone={props.onClose}
        />
      )}
    </Dialog>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
