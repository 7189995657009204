// Owns the list of applications one lets know who one is, and ending that.
import { Button } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { wordsOfScope } from '../../lib/scope-words.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { consentsQuery } from './account-queries.ts'
import type { Consent } from './account-queries.ts'

/** The part of the page; `email` is the address applications may see. */
export function ConsentList(props: { email: string }) {
  const client = useQueryClient()
  const { data: consents, error, refetch } = useQuery(consentsQuery)

  const end = async (consent: Consent): Promise<void> => {
    const name = nameOf(consent)
    const yes = await confirmAction({
      title: t('consents.end.title', { name }),
      body: t('consents.end.body', { name }),
      confirmLabel: t('word.end'),
    })
    if (!yes) return
    try {
      await call('oauthDeleteConsent', { body: { id: consent.id } })
      showToast({ message: t('consents.ended', { name }) })
    } catch (failure) {
      showProblem(failure)
    }
    await client.invalidateQueries({ queryKey: consentsQuery.queryKey })
  }

  if (error && !consents) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!consents) return null
  if (consents.length === 0) {
    return <EmptyState title={t('word.noApplications')} icon={<IconApps size={32} stroke={1.5} aria-hidden />} />
  }
  const columns = [
    { label: t('consents.application') },
    { label: t('word.may') },
    { label: t('consents.since') },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <>
      <p className={parts.lead}>{t('consents.lead')}</p>
      <ListTable label={t('consents.list')} columns={columns}>
        {consents.map((consent) => (
          <tr key={consent.id}>
            <th scope="row">{nameOf(consent)}</th>
            <td>
              {consent.scopes.map((scope) => (
                <span key={scope} className={parts.address}>
                  {wordsOfScope(scope, props.email)}
                </span>
              ))}
            </td>
            <td data-time>{formatMoment(consent.createdAt)}</td>
            <td data-end>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('consents.endOf', { name: nameOf(consent) })}
                onClick={() => void end(consent)}
              >
                {t('word.end')}
              </Button>
            </td>
          </tr>
        ))}
      </ListTable>
    </>
  )
}

function nameOf({ clientName, clientId }: Consent): string {
  return clientName ?? clientId
}
