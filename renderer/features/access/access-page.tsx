// Owns the frame of the pages about people and access: one heading, links between the parts.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { useAuthFeature } from '../../lib/auth-config.ts'
import { ownRightsQuery } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import classes from './access.module.css'

const parts = [
  { key: 'people', to: '/access', needs: 'manage_users' },
  { key: 'rights', to: '/access/rights', needs: 'manage_permissions' },
  { key: 'check', to: '/access/check', needs: 'manage_permissions' },
  { key: 'clients', to: '/access/clients', needs: 'manage_users', feature: 'oidcProvider' },
  { key: 'audit', to: '/access/audit', needs: 'view_audit' },
] as const

/** One of the parts. */
export type AccessPart = (typeof parts)[number]['key']

/** The frame. Parts the caller may not open are not offered. */
export function AccessPage(props: { part: AccessPart; actions?: ReactNode; children: ReactNode }) {
  const { data: rights } = useQuery(ownRightsQuery)
  const signsInForOthers = useAuthFeature('oidcProvider')
  const part = parts.find(({ key }) => key === props.part)
  const may = (needs: string): boolean => rights === undefined || rights.systemPermissions.includes(needs)
  return (
    <Page title={t('word.access')} actions={props.actions}>
      <nav aria-label={t('access.parts')}>
        <ul className={classes.parts}>
          {parts
            .filter(
              (each) => each.key === props.part || (may(each.needs) && (!('feature' in each) || signsInForOthers)),
            )
            .map(({ key, to }) => (
              <li key={key}>
                <a href={`#${to}`} className={classes.part} aria-current={key === props.part ? 'page' : undefined}>
                  {t(`access.part.${key}`)}
                </a>
              </li>
            ))}
        </ul>
      </nav>
      {part && !may(part.needs) ? <Denied permission={part.needs} /> : props.children}
    </Page>
  )
}

/** Says which right is missing. */
export function Denied(props: { permission: string }) {
  return (
    <EmptyState title={t('access.denied')}>
      {t('access.denied.text', { permission: t(`system.${props.permission}` as StringKey) })}
    </EmptyState>
  )
}

/** A failed load of a part: a missing right is told apart from what can be tried again. */
export function AccessFailure(props: { error: unknown; permission: string; onRetry: () => void }) {
  if (hasCode(props.error, 'permission_denied')) return <Denied permission={props.permission} />
  return <LoadFailure error={props.error} onRetry={props.onRetry} />
}
