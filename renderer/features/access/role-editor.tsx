// Owns editing a role: to which role it reports and which permission sets it gives.
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { rightSetsQuery } from '../../lib/right-sets.ts'
import type { RightItem } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { Choices } from './person-rights.tsx'
import { LabelFields } from './label-fields.tsx'
import { SaveBar } from './save-bar.tsx'
import type { RightEditorProps } from './save-bar.tsx'
import classes from './access.module.css'

/** The editor. */
export function RoleEditor(props: RightEditorProps) {
  const { item } = props
  const { data: roles } = useQuery(rightSetsQuery('role'))
  const { data: sets } = useQuery(rightSetsQuery('permission'))
  const [draft, setDraft] = useState(item)
  const parent = textOf(draft, 'parent')
  const given = setsOf(draft)
  const changes =
    (draft.label === item.label ? 0 : 1) +
    (parent === textOf(item, 'parent') ? 0 : 1) +
    (given.toSorted().join(' ') === setsOf(item).toSorted().join(' ') ? 0 : 1)
  const below = rolesBelow(roles ?? [], item.name)
  const parents = (roles ?? []).filter(({ name }) => name !== item.name && !below.has(name))
  return (
    <>
      <LabelFields item={draft} onLabel={(label) => setDraft({ ...draft, label })}>
        <NativeSelect
          label={t('rights.parent')}
          value={parent}
          data={[
            { value: '', label: t('rights.parent.none') },
            ...parents.map(({ name, label }) => ({ value: name, label })),
          ]}
          onChange={(event) => setDraft({ ...draft, parent: event.currentTarget.value || undefined })}
        />
      </LabelFields>
      <div className={parts.section}>
        <Choices
          legend={t('rights.roleSets')}
          none={t('rights.sets.none')}
          items={sets}
          chosen={given}
          onChange={(permissionSets) => setDraft({ ...draft, permissionSets })}
        />
      </div>
      {below.size > 0 && (
        <div className={parts.section}>
          <h2>{t('rights.below')}</h2>
          <ul className={classes.tree}>
            {(roles ?? [])
              .filter(({ name }) => below.has(name))
              .map((role) => (
                <li key={role.name}>
                  <a href={`#/access/rights/role/${role.name}`} className={parts.link}>
                    {role.label}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      )}
      <SaveBar {...props} changes={changes} draft={draft} onDiscard={() => setDraft(item)} />
    </>
  )
}

/** Names of the permission sets a role gives. */
export function setsOf(role: RightItem): string[] {
  const sets = role['permissionSets']
  return Array.isArray(sets) ? sets.filter((name): name is string => typeof name === 'string') : []
}

/** Names of all roles below one, at any depth. */
function rolesBelow(roles: readonly RightItem[], top: string): Set<string> {
  const found = new Set<string>()
  const visit = (name: string): void => {
    for (const role of roles) {
      if (textOf(role, 'parent') !== name || found.has(role.name)) continue
      found.add(role.name)
      visit(role.name)
    }
  }
  visit(top)
  return found
}
