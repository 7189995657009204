// Owns that records wait for an organization where there are organizations: who works in none is asked for one first.
import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useAuthFeature } from '../lib/auth-config.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { meQuery, activeOrganizationOf } from '../lib/me.ts'

const OrganizationsScreen = lazyPart(async () => ({
  default: (await import('../features/organizations/organizations-screen.tsx')).OrganizationsScreen,
}))

/** Pages that show no records, for which nobody needs to be in an organization. */
const free = /^\/(organizations|invitations|account|access|device)(\/|$)/

/** Shows its children, or the choice of an organization. */
export function OrganizationGate(props: { children: ReactNode }) {
  const isOn = useAuthFeature('organization')
  const [location] = useLocation()
  const { data: me } = useQuery({ ...meQuery, enabled: isOn })
  const isHeld = isOn && me !== undefined && me !== null && activeOrganizationOf(me) === undefined
  if (!isHeld || free.test(location)) return props.children
  return (
    <Suspense fallback={null}>
      <OrganizationsScreen choosing />
    </Suspense>
  )
}
