// Owns the page of one organization: which part of it is shown is in the address.
import { Button } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { activeOrganizationOf, useMe } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { InvitationsPart } from './invitations-part.tsx'
import { MembersPart } from './members-part.tsx'
import type { OrganizationPartProps } from './organization-queries.ts'
import { organizationQuery, workIn } from './organization-queries.ts'
import { SettingsPart } from './settings-part.tsx'
import { TeamsPart } from './teams-part.tsx'

const tabs = ['members', 'invitations', 'teams', 'settings'] as const

/** The page; `part` is one of the tabs, the members when absent. */
export function OrganizationScreen(props: { id: string; part: string | undefined }) {
  const { data: organization, error, refetch } = useQuery(organizationQuery(props.id))
  const me = useMe()
  const back = (
    <Button component="a" href="#/organizations" variant="subtle" leftSection={<IconArrowLeft size={16} aria-hidden />}>
      {t('word.allOrganizations')}
    </Button>
  )
  if (!organization || !me) {
    return (
      <Page title={t('orgs.title')} actions={back}>
        {organization === null && <EmptyState title={t('orgs.missing')}>{t('orgs.missing.text')}</EmptyState>}
        {error && <LoadFailure error={error} onRetry={() => void refetch()} />}
      </Page>
    )
  }
  const { id, name, members, invitations, teams } = organization
  const chosen = tabs.find((tab) => tab === props.part) ?? 'members'
  const counts = { members: members.length, invitations: invitations.length, teams: teams.length, settings: undefined }
  const part: OrganizationPartProps = {
    organization,
    userId: me.user.id,
    role: members.find(({ userId }) => userId === me.user.id)?.role ?? 'member',
  }
  const mayWork = activeOrganizationOf(me) !== id
  return (
    <Page
      title={name}
      actions={
        <>
          {back}
          {mayWork && (
            <Button variant="default" onClick={() => void workIn(id).catch(showProblem)}>
              {t('orgs.workIn')}
            </Button>
          )}
        </>
      }
    >
      <TabbedParts
        label={t('orgs.parts')}
        tabs={tabs.map((key) => ({
          key,
          label: t(`orgs.tab.${key}`),
          ...(counts[key] === undefined ? {} : { count: counts[key] }),
        }))}
        chosen={chosen}
        onChoose={(key) => navigate(`/organizations/${id}${key === 'members' ? '' : `/${key}`}`, { replace: true })}
      >
        {chosen === 'members' && <MembersPart {...part} />}
        {chosen === 'invitations' && <InvitationsPart {...part} />}
        {chosen === 'teams' && <TeamsPart {...part} />}
        {chosen === 'settings' && <SettingsPart key={name} {...part} />}
      </TabbedParts>
    </Page>
  )
}
