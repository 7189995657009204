// Owns the list of one's organizations: working in one, making one, answering an invitation. Also what is shown in place
// of records while somebody works in none.
import { Button } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { authConfigQuery, useAuthFeature } from '../../lib/auth-config.ts'
import { formatMoment } from '../../lib/format.ts'
import { activeOrganizationOf, useMe } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { OrganizationDialog } from './organization-dialog.tsx'
import { organizationsQuery, ownInvitationsQuery, workIn } from './organization-queries.ts'
import type { Organization } from './organization-queries.ts'

/** The page. `choosing` says that records wait for the choice. */
export function OrganizationsScreen(props: { choosing?: boolean }) {
  const isOn = useAuthFeature('organization')
  const { data: organizations, error, refetch } = useQuery({ ...organizationsQuery, enabled: isOn })
  const me = useMe()
  const { data: config } = useQuery(authConfigQuery)
  const [making, setMaking] = useState(false)
  if (config !== undefined && config?.features.organization !== true) {
    return (
      <Page title={t('orgs.title')}>
        <EmptyState title={t('orgs.off')}>{t('orgs.off.text')}</EmptyState>
      </Page>
    )
  }
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t('orgs.new')}
    </Button>
  )
  const hasSome = organizations !== undefined && organizations.length > 0
  return (
    <Page
      title={t(props.choosing ? 'orgs.choose' : 'orgs.title')}
      lead={t(props.choosing ? 'orgs.choose.lead' : 'orgs.lead')}
      actions={hasSome ? make : undefined}
    >
      {error && !organizations && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {organizations?.length === 0 && (
        <EmptyState title={t('orgs.none')} icon={<IconBuilding size={32} stroke={1.5} aria-hidden />} actions={make} />
      )}
      {hasSome && (
        <OrganizationTable
          organizations={organizations}
          activeId={activeOrganizationOf(me)}
          mayWork={me !== null && me !== undefined}
        />
      )}
      {isOn && <OwnInvitations />}
      <OrganizationDialog opened={making} onClose={() => setMaking(false)} />
    </Page>
  )
}

function OrganizationTable(props: {
  organizations: readonly Organization[]
  activeId: string | undefined
  mayWork: boolean
}) {
  const columns = [
    { label: t('word.name') },
    { label: t('orgs.slug'), wide: true },
    { label: t('orgs.since'), wide: true },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <ListTable label={t('orgs.list')} columns={columns}>
      {props.organizations.map(({ id, name, slug, createdAt }) => (
        <tr key={id}>
          <th scope="row">
            <a href={`#/organizations/${id}`} className={parts.link}>
              {name}
            </a>
            {id === props.activeId && <span className={parts.badge}>{t('orgs.active')}</span>}
          </th>
          <td data-wide>{slug}</td>
          <td data-time data-wide>
            {formatMoment(createdAt)}
          </td>
          <td data-end>
            {props.mayWork && id !== props.activeId && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('orgs.workInOf', { name })}
                onClick={() => void workIn(id).catch(showProblem)}
              >
                {t('orgs.workIn')}
              </Button>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  )
}

function OwnInvitations() {
  const { data: invitations } = useQuery(ownInvitationsQuery)
  if (!invitations || invitations.length === 0) return null
  return (
    <section className={parts.section} aria-labelledby="invited">
      <h2 id="invited">{t('orgs.invited')}</h2>
      <ul className={parts.links}>
        {invitations.map(({ id, organization }) => (
          <li key={id}>
            <a href={`#/invitations/${id}`} className={parts.link}>
              {t('orgs.invited.open', { name: organization })}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
