// Owns the applications that sign people in through this host: making one, replacing its secret, deleting it.
import { Button } from '@mantine/core'
import { IconApps, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState } from '../../components/notice.tsx'
import { OnceShown } from '../../components/once-shown.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { useAuthFeature } from '../../lib/auth-config.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { discoveryQuery } from '../../lib/discovery.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { AccessFailure, AccessPage } from './access-page.tsx'
import { ClientDialog } from './client-dialog.tsx'
import { clientName, clientsQuery, hasSecret } from './client-queries.ts'
import type { OauthClient } from './client-queries.ts'

/** The page; says so where the host signs in for nobody. */
export function ClientsScreen() {
  const isOn = useAuthFeature('oidcProvider')
  const { data: clients, error, refetch } = useQuery({ ...clientsQuery, enabled: isOn })
  const client = useQueryClient()
  const [making, setMaking] = useState(false)
  const [shown, setShown] = useState<OauthClient>()
  const refresh = async (): Promise<void> => client.invalidateQueries({ queryKey: clientsQuery.queryKey })

  const rotate = async (one: OauthClient): Promise<void> => {
    const name = clientName(one)
    const yes = await confirmAction({
      title: t('clients.rotate.title', { name }),
      body: t('clients.rotate.body'),
      confirmLabel: t('clients.rotate'),
    })
    if (!yes) return
    try {
      setShown(await call('oauthRotateSecret', { body: { client_id: one.client_id } }))
    } catch (failure) {
      showProblem(failure)
    }
  }
  const remove = async (one: OauthClient): Promise<void> => {
    const name = clientName(one)
    const yes = await confirmAction({
      title: t('word.askDelete', { name }),
      body: t('clients.delete.body'),
      confirmLabel: t('word.delete'),
    })
    if (!yes) return
    try {
      await call('oauthDeleteClient', { body: { client_id: one.client_id } })
      showToast({ message: t('word.deletedOf', { name }) })
    } catch (failure) {
      showProblem(failure)
    }
    await refresh()
  }

  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t('clients.new')}
    </Button>
  )
  const hasSome = clients !== undefined && clients.length > 0
  return (
    <AccessPage part="clients" actions={hasSome ? make : undefined}>
      {!isOn && <EmptyState title={t('clients.off')}>{t('clients.off.text')}</EmptyState>}
      {error && !clients && <AccessFailure error={error} permission="manage_users" onRetry={() => void refetch()} />}
      {clients?.length === 0 && (
        <EmptyState
          title={t('word.noApplications')}
          icon={<IconApps size={32} stroke={1.5} aria-hidden />}
          actions={make}
        />
      )}
      {hasSome && (
        <>
          <p className={parts.lead}>{t('clients.lead')}</p>
          <ClientTable clients={clients} onRotate={(one) => void rotate(one)} onDelete={(one) => void remove(one)} />
        </>
      )}
      {isOn && clients && <Issuer />}
      <ClientDialog
        opened={making}
        onClose={() => setMaking(false)}
        onMade={(made) => {
          setMaking(false)
          setShown(made)
          void refresh()
        }}
      />
      <Dialog
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={shown ? t('clients.made', { name: clientName(shown) }) : ''}
        closeOnClickOutside={false}
      >
        {shown && (
          <OnceShown
            lead={t(shown.client_secret === undefined ? 'clients.made.public' : 'clients.made.lead')}
            values={[
              { label: t('clients.id'), value: shown.client_id },
              ...(shown.client_secret === undefined
                ? []
                : [{ label: t('clients.secret'), value: shown.client_secret }]),
            ]}
            done={t('clients.made.done')}
            onDone={() => setShown(undefined)}
          />
        )}
      </Dialog>
    </AccessPage>
  )
}

function ClientTable(props: {
  clients: readonly OauthClient[]
  onRotate: (client: OauthClient) => void
  onDelete: (client: OauthClient) => void
}) {
  const columns = [
    { label: t('word.name') },
    { label: t('clients.id') },
    { label: t('clients.redirects.column') },
    { label: t('word.added') },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <ListTable label={t('clients.list')} columns={columns}>
      {props.clients.map((client) => {
        const name = clientName(client)
        const issuedAt = client.client_id_issued_at
        return (
          <tr key={client.client_id}>
            <th scope="row">
              {name}
              <span className={parts.under}>{scopeWords(client)}</span>
            </th>
            <td>
              <code>{client.client_id}</code>
            </td>
            <td>
              {client.redirect_uris.map((address) => (
                <span key={address} className={parts.address}>
                  {address}
                </span>
              ))}
            </td>
            <td data-time>{issuedAt === undefined ? '' : formatMoment(new Date(issuedAt * 1000).toISOString())}</td>
            <td data-end>
              {hasSecret(client) && (
                <Button
                  size="compact-sm"
                  variant="default"
                  mr={8}
                  aria-label={t('clients.rotateOf', { name })}
                  onClick={() => props.onRotate(client)}
                >
                  {t('clients.rotate')}
                </Button>
              )}
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('word.deleteOf', { name })}
                onClick={() => props.onDelete(client)}
              >
                {t('word.delete')}
              </Button>
            </td>
          </tr>
        )
      })}
    </ListTable>
  )
}

function scopeWords(client: OauthClient): string {
  const given = (client.scope ?? '').split(' ')
  const words = (['profile', 'email', 'offline_access'] as const).filter((scope) => given.includes(scope))
  return words.length === 0 ? t('clients.scope.openid') : words.map((scope) => t(`clients.scope.${scope}`)).join(', ')
}

/** What the other side has to be told of this host. */
function Issuer() {
  const { data: manifest } = useQuery(discoveryQuery)
  const described = manifest?.schemaDiscovery.openapi
  if (described === undefined) return null
  return (
    <div className={parts.form}>
      <CopyField label={t('clients.issuer')} description={t('clients.issuer.help')} value={new URL(described).origin} />
    </div>
  )
}
