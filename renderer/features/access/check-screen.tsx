// Owns asking what somebody may do: a person or a role is chosen, the matrix answers, each cell tells why.
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { navigate } from '../../lib/hash-location.ts'
import { setPreview } from '../../lib/preview.ts'
import { profileLabel, rightSetsQuery } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { useObjects } from '../objects/index.ts'
import { AccessFailure, AccessPage } from './access-page.tsx'
import { effectiveQuery, everybodyQuery } from './access-queries.ts'
import { CheckMatrix } from './check-matrix.tsx'
import type { CheckSubject } from './check-matrix.tsx'
import { setsOf } from './role-editor.tsx'
import { roleRights } from './role-rights.ts'
import type { ObjectRights } from './role-rights.ts'
import classes from './access.module.css'

/** The page. Who is asked about is in the address. */
export function CheckScreen() {
  const [parameters] = useSearchParams()
  const user = parameters.get('user')
  const role = parameters.get('role')
  const { data: people, error, refetch } = useQuery(everybodyQuery)
  const rolesAsked = useQuery(rightSetsQuery('role'))
  const roles = rolesAsked.data
  const chosen = user !== null ? `user=${user}` : role !== null ? `role=${role}` : ''
  return (
    <AccessPage part="check">
      {error && !people ? (
        <AccessFailure error={error} permission="manage_permissions" onRetry={() => void refetch()} />
      ) : (
        <>
          <p className={parts.lead}>{t('check.lead')}</p>
          <div className={classes.bar}>
            <NativeSelect
              label={t('check.subject')}
              value={chosen}
              onChange={(event) => {
                const { value } = event.currentTarget
                navigate(value === '' ? '/access/check' : `/access/check?${value}`, { replace: true })
              }}
            >
              <option value="">{t('word.chooseDots')}</option>
              <optgroup label={t('word.people')}>
                {people?.map((person) => (
                  <option key={person.id} value={`user=${person.id}`}>
                    {person.name || person.email}
                  </option>
                ))}
              </optgroup>
              {roles && roles.length > 0 && (
                <optgroup label={t('word.roles')}>
                  {roles.map((each) => (
                    <option key={each.name} value={`role=${each.name}`}>
                      {each.label}
                    </option>
                  ))}
                </optgroup>
              )}
            </NativeSelect>
          </div>
          {!roles && rolesAsked.error && (
            <LoadFailure error={rolesAsked.error} onRetry={() => void rolesAsked.refetch()} />
          )}
          {user !== null && people && (
            <UserPreview key={user} id={user} label={people.find((person) => person.id === user)?.name ?? user} />
          )}
          {user === null && role !== null && roles && (
            <RolePreview key={role} name={role} label={roles.find((each) => each.name === role)?.label ?? role} />
          )}
        </>
      )}
    </AccessPage>
  )
}

/** Tells the frame what is previewed; the preview stays when the page is left, until it is stopped. */
function usePreviewOf(label: string, rightsOf: ((object: string) => ObjectRights) | undefined): void {
  const { data: objects } = useObjects()
  const names =
    rightsOf &&
    objects
      ?.filter(({ name }) => rightsOf(name).read)
      .map(({ name }) => name)
      .join(' ')
  useEffect(() => {
    if (names !== undefined) setPreview({ label, readable: new Set(names.split(' ')) })
  }, [label, names])
}

const nothing: ObjectRights = {
  create: false,
  read: false,
  edit: false,
  delete: false,
  transfer: false,
  restore: false,
  purge: false,
  viewAllRecords: false,
  modifyAllRecords: false,
}

function UserPreview(props: { id: string; label: string }) {
  const { id, label } = props
  const { data, error, refetch } = useQuery(effectiveQuery(id))
  const rightsOf = data && ((object: string): ObjectRights => data.objects[object] ?? data.objects['*'] ?? nothing)
  usePreviewOf(label, rightsOf)
  if (error && !data) {
    return <AccessFailure error={error} permission="manage_permissions" onRetry={() => void refetch()} />
  }
  if (!data || !rightsOf) return null
  const subject: CheckSubject = { kind: 'user', id, label }
  return (
    <>
      <dl className={parts.facts}>
        <dt>{t('word.profile')}</dt>
        <dd>{profileLabel(data.profile)}</dd>
        <dt>{t('word.roles')}</dt>
        <dd>{data.roles.join(', ') || t('check.no')}</dd>
        <dt>{t('word.permissionSets')}</dt>
        <dd>{data.permissionSets.join(', ') || t('check.no')}</dd>
        <dt>{t('check.system')}</dt>
        <dd>{data.systemPermissions.map((word) => t(`system.${word}` as StringKey)).join(', ') || t('check.no')}</dd>
      </dl>
      <CheckMatrix subject={subject} rightsOf={rightsOf} />
    </>
  )
}

function RolePreview(props: { name: string; label: string }) {
  const { name, label } = props
  const { data: roles } = useQuery(rightSetsQuery('role'))
  const { data: sets, error, refetch } = useQuery(rightSetsQuery('permission'))
  const role = roles?.find((each) => each.name === name)
  const given = role && sets?.filter((set) => setsOf(role).includes(set.name))
  const rightsOf = given && ((object: string): ObjectRights => roleRights(given, object))
  usePreviewOf(label, rightsOf)
  if (!sets && error) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!rightsOf) return null
  return (
    <>
      <p className={parts.lead}>{t('check.role.lead')}</p>
      <CheckMatrix subject={{ kind: 'role', id: name, label }} rightsOf={rightsOf} />
    </>
  )
}
