// Owns the lists of what rights are made of: profiles, permission sets, and the tree of roles.
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import parts from '../../components/parts.module.css'
import { rightSetsQuery } from '../../lib/right-sets.ts'
import type { RightItem, RightType } from '../../lib/right-sets.ts'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { AccessFailure, AccessPage } from './access-page.tsx'
import { RightDialog } from './right-dialog.tsx'
import classes from './access.module.css'

/** The page. */
export function RightsScreen() {
  const [adding, setAdding] = useState<RightType>()
  const { error, data, refetch } = useQuery(rightSetsQuery('profile'))
  const part = (type: RightType, title: string, lead: string, children: ReactNode): ReactNode => (
    <section className={parts.section} aria-labelledby={`rights-${type}`}>
      <div className={parts.head}>
        <h2 id={`rights-${type}`}>{title}</h2>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setAdding(type)}
        >
          {t(`rights.new.${type}`)}
        </Button>
      </div>
      <p className={parts.lead}>{lead}</p>
      {children}
    </section>
  )
  return (
    <AccessPage part="rights">
      {error && !data ? (
        <AccessFailure error={error} permission="manage_permissions" onRetry={() => void refetch()} />
      ) : (
        <>
          <p className={parts.lead}>{t('rights.lead')}</p>
          <div className={classes.columns}>
            {part('profile', t('rights.profiles'), t('rights.profiles.lead'), <ItemList type="profile" none="" />)}
            {part(
              'permission',
              t('word.permissionSets'),
              t('rights.sets.lead'),
              <ItemList type="permission" none={t('rights.sets.none')} />,
            )}
            {part('role', t('word.roles'), t('rights.roles.lead'), <RoleTree />)}
          </div>
        </>
      )}
      <RightDialog type={adding} onClose={() => setAdding(undefined)} />
    </AccessPage>
  )
}

function ItemLink(props: { type: RightType; item: RightItem }) {
  const { type, item } = props
  return (
    <>
      <a href={`#/access/rights/${type}/${item.name}`} className={parts.link}>
        {item.label}
      </a>
      {item['isDefault'] === true && <span className={parts.badge}>{t('word.default')}</span>}
    </>
  )
}

function ItemList(props: { type: RightType; none: string }) {
  const { data: items } = useQuery(rightSetsQuery(props.type))
  if (!items) return null
  if (items.length === 0) return <p className={parts.lead}>{props.none}</p>
  return (
    <ul className={classes.tree}>
      {items.map((item) => (
        <li key={item.name}>
          <ItemLink type={props.type} item={item} />
        </li>
      ))}
    </ul>
  )
}

function RoleTree() {
  const { data: roles } = useQuery(rightSetsQuery('role'))
  if (!roles) return null
  if (roles.length === 0) return <p className={parts.lead}>{t('rights.roles.none')}</p>
  const names = new Set(roles.map((role) => role.name))
  // A parent that is gone leaves its roles at the top; a ring, which no save allows, is shown flat.
  const tops = roles.filter((role) => !names.has(textOf(role, 'parent')))
  return <Roles roles={roles} shown={tops.length > 0 ? tops : roles} above={[]} />
}

function Roles(props: { roles: readonly RightItem[]; shown: readonly RightItem[]; above: readonly string[] }) {
  if (props.shown.length === 0) return null
  return (
    <ul className={classes.tree}>
      {props.shown.map((role) => {
        const above = [...props.above, role.name]
        const below = props.roles.filter((each) => textOf(each, 'parent') === role.name && !above.includes(each.name))
        return (
          <li key={role.name}>
            <ItemLink type="role" item={role} />
            <Roles roles={props.roles} shown={below} above={above} />
          </li>
        )
      })}
    </ul>
  )
}
