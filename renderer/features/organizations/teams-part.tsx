// Owns the teams of an organization: making one, who is in it, deleting it.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EmptyState } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { teamMembersQuery } from './organization-queries.ts'
import type { FullOrganization, Team, OrganizationPartProps } from './organization-queries.ts'
import { useChanges } from './use-changes.ts'

/** The part. */
export function TeamsPart(props: OrganizationPartProps) {
  const { organization, role } = props
  const [making, setMaking] = useState(false)
  const mayChange = role !== 'member'
  const make = mayChange && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t('teams.new')}
    </Button>
  )
  return (
    <>
      {organization.teams.length === 0 ? (
        <EmptyState title={t('teams.none')} icon={<IconUsersGroup size={32} stroke={1.5} aria-hidden />} actions={make}>
          {t('teams.none.text')}
        </EmptyState>
      ) : (
        <>
          <p className={parts.lead}>{t('teams.lead')}</p>
          <div className={parts.actions}>{make}</div>
          <div className={parts.cards}>
            {organization.teams.map((team) => (
              <TeamCard key={team.id} organization={organization} team={team} mayChange={mayChange} />
            ))}
          </div>
        </>
      )}
      <Dialog opened={making} onClose={() => setMaking(false)} title={t('teams.new')} closeOnClickOutside={false}>
        {making && <TeamForm organizationId={organization.id} onClose={() => setMaking(false)} />}
      </Dialog>
    </>
  )
}

function TeamCard(props: { organization: FullOrganization; team: Team; mayChange: boolean }) {
  const { organization, team, mayChange } = props
  const { data: userIds } = useQuery(teamMembersQuery(team.id))
  const run = useChanges()
  const organizationId = organization.id
  const inside = organization.members.filter(({ userId }) => userIds?.includes(userId))
  const outside = organization.members.filter(({ userId }) => !userIds?.includes(userId))
  const { name } = team

  const change = async (userId: string, add: boolean): Promise<boolean> => {
    const member = organization.members.find((each) => each.userId === userId)?.name ?? userId
    return run(
      async () =>
        call(add ? 'addTeamMember' : 'removeTeamMember', { body: { teamId: team.id, userId, organizationId } }),
      t(add ? 'teams.added' : 'teams.removed', { member, name }),
    )
  }
  const remove = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('teams.delete.title', { name }),
      body: t('teams.delete.body'),
      confirmLabel: t('teams.delete'),
    })
    if (!yes) return
    await run(
      async () => call('removeTeam', { body: { teamId: team.id, organizationId } }),
      t('teams.deleted', { name }),
    )
  }

  return (
    <section className={parts.card} aria-labelledby={`team-${team.id}`}>
      <div className={parts.head}>
        <h2 id={`team-${team.id}`}>{name}</h2>
        {mayChange && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('teams.deleteOf', { name })}
            onClick={() => void remove()}
          >
            {t('teams.delete')}
          </Button>
        )}
      </div>
      {userIds !== undefined && inside.length === 0 && <p className={parts.quiet}>{t('teams.members.none')}</p>}
      <ul className={parts.links} aria-label={t('teams.members', { name })}>
        {inside.map((member) => (
          <li key={member.id} className={parts.line}>
            {member.name}
            {mayChange && (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={t('teams.removeOf', { member: member.name, name })}
                onClick={() => void change(member.userId, false)}
              >
                {t('teams.remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && userIds !== undefined && outside.length > 0 && (
        <NativeSelect
          label={t('teams.add')}
          aria-label={t('teams.addTo', { name })}
          value=""
          className={parts.short}
          data={[
            { value: '', label: t('word.chooseDots') },
            ...outside.map((member) => ({ value: member.userId, label: member.name })),
          ]}
          onChange={(event) => {
            if (event.currentTarget.value !== '') void change(event.currentTarget.value, true)
          }}
        />
      )}
    </section>
  )
}

function TeamForm(props: { organizationId: string; onClose: () => void }) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const create = async (): Promise<void> => {
    await call('createTeam', { body: { name: name.trim(), organizationId: props.organizationId } })
    showToast({ message: t('teams.created', { name: name.trim() }), tone: 'good' })
    props.onClose()
    await client.invalidateQueries({ queryKey: ['organizations'] })
  }
  return (
    <DialogForm submit={t('word.create')} ready={name.trim() !== ''} onClose={props.onClose} onSubmit={create}>
      {(tried) => (
        <TextInput
          label={t('word.name')}
          value={name}
          error={tried && name.trim() === '' ? t('word.needName') : undefined}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  )
}
