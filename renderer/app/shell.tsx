// Owns the frame: top bar, navigation, main region, and which of them is shown at which width.
import { useMediaQuery } from '@mantine/hooks'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { t } from '../lib/strings.ts'
import { Guises } from './guises.tsx'
import { NavRail } from './nav-rail.tsx'
import classes from './shell.module.css'
import { TopBar } from './top-bar.tsx'
import { setDrawerOpen, useUi } from './ui-state.ts'
import { useQuery } from '@tanstack/react-query'
import { lookAtDisk } from '../lib/api-client.ts'
import { discoveryQuery } from '../lib/discovery.ts'
import { useDiskFull } from '../lib/host-status.ts'

/** Below this width the navigation lies over the page instead of beside it. */
const narrow = '(max-width: 800px)'

/** The frame around a screen. */
export function Shell(props: { children: ReactNode }) {
  const isNarrow = useMediaQuery(narrow, undefined, { getInitialValueInEffect: false }) ?? false
  const { railOpen, drawerOpen } = useUi()
  const showRail = isNarrow ? drawerOpen : true
  const wide = isNarrow || railOpen

  useEffect(() => {
    if (!isNarrow) setDrawerOpen(false)
  }, [isNarrow])

  useEffect(() => {
    if (!isNarrow || !drawerOpen) return
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setDrawerOpen(false)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [isNarrow, drawerOpen])

  return (
    <div className={classes.shell} data-narrow={isNarrow || undefined}>
      <TopBar narrow={isNarrow} />
      <div className={classes.bands}>
        <DiskNotice />
        <Guises />
      </div>
      {showRail && (
        <nav className={classes.rail} data-wide={wide || undefined} aria-label={t('app.navigation')} data-region>
          <NavRail wide={wide} onNavigate={() => setDrawerOpen(false)} />
        </nav>
      )}
      {isNarrow && drawerOpen && (
        // A pointer's shortcut for the toggle and Escape, which every other input has.
        <div className={classes.backdrop} onClick={() => setDrawerOpen(false)} aria-hidden />
      )}
      <main className={classes.main} data-region id="main" tabIndex={-1}>
        {props.children}
      </main>
    </div>
  )
}

/** A line below the top bar while the disk is full; nothing otherwise. */
function DiskNotice() {
  const isFull = useDiskFull()
  const { data: manifest } = useQuery(discoveryQuery)
  const isDegraded = manifest?.services.data?.status === 'degraded'
  useEffect(() => {
    if (isDegraded) void lookAtDisk()
  }, [isDegraded])
  if (!isFull) return null
  return (
    <aside aria-label={t('app.disk.region')}>
      <div className={classes.guise} role="alert">
        <p>{t('app.disk.full')}</p>
      </div>
    </aside>
  )
}
