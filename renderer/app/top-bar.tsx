// Owns the bar at the top: name of the workspace, way into the palette, state of the host, scheme and help.
import { ActionIcon, Tooltip, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconHelp,
  IconHistory,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMenu2,
  IconMoon,
  IconPlugConnectedX,
  IconSearch,
  IconSun,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { ShortcutKeys } from '../components/shortcut-keys.tsx'
import { useAuthFeature } from '../lib/auth-config.ts'
import { discoveryQuery } from '../lib/discovery.ts'
import { useHostStatus } from '../lib/host-status.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { t } from '../lib/strings.ts'
import { useUndoLabels } from '../lib/undo.ts'
import { NotificationBell } from './notification-bell.tsx'
import classes from './top-bar.module.css'
import { redoAndTell, undoAndTell } from '../lib/undo-told.ts'
import { setDrawerOpen, setPaletteOpen, setRailOpen, setShortcutsOpen, setUndoListOpen, useUi } from './ui-state.ts'

const WorkspaceSwitcher = lazyPart(async () => ({
  default: (await import('../features/organizations/workspace-switcher.tsx')).WorkspaceSwitcher,
}))

const SyncPill = lazyPart(async () => ({ default: (await import('../features/sync/sync-pill.tsx')).SyncPill }))

/** The banner of every screen. */
export function TopBar(props: { narrow: boolean }) {
  const { railOpen, drawerOpen } = useUi()
  const hasOrganizations = useAuthFeature('organization')
  const { data: manifest } = useQuery(discoveryQuery)
  const hasSync = manifest?.routes.sync != null
  const open = props.narrow ? drawerOpen : railOpen
  const toggle = (): void => (props.narrow ? setDrawerOpen(!drawerOpen) : setRailOpen(!railOpen))
  const RailIcon = props.narrow ? IconMenu2 : railOpen ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand
  return (
    <header className={classes.bar} data-region>
      <button
        type="button"
        className={classes.skip}
        onClick={() => document.querySelector<HTMLElement>('main')?.focus()}
      >
        {t('app.skip')}
      </button>
      <IconButton label={t(open ? 'app.rail.hide' : 'app.rail.show')} onClick={toggle} expanded={open}>
        <RailIcon size={18} stroke={1.75} />
      </IconButton>
      <a href="#/" className={classes.brand} aria-label={t('app.brand')}>
        <Mark />
        <span className={classes.brandName}>{t('app.name')}</span>
      </a>
      {hasOrganizations && (
        <Suspense fallback={null}>
          <WorkspaceSwitcher label={classes.workspace} />
        </Suspense>
      )}
      <UnstyledButton className={classes.search} onClick={() => setPaletteOpen(true)} aria-keyshortcuts="Control+K">
        <IconSearch size={16} aria-hidden />
        <span className={classes.searchText}>{t('app.search')}</span>
        <span className={classes.searchKeys} aria-hidden>
          <ShortcutKeys shortcut="Mod+K" />
        </span>
      </UnstyledButton>
      <div className={classes.end}>
        <HostPill />
        {hasSync && (
          <Suspense fallback={null}>
            <SyncPill />
          </Suspense>
        )}
        <UndoButtons />
        <NotificationBell />
        <SchemeButton />
        <IconButton label={t('word.keyboardShortcuts')} onClick={() => setShortcutsOpen(true)}>
          <IconHelp size={18} stroke={1.75} />
        </IconButton>
      </div>
    </header>
  )
}

function IconButton(props: {
  label: string
  onClick: () => void
  expanded?: boolean
  disabled?: boolean
  children: ReactNode
}) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        c={props.disabled ? 'var(--mantine-color-disabled-color)' : 'var(--cairn-text-quiet)'}
        aria-label={props.label}
        aria-expanded={props.expanded}
        // Not the attribute: a button that is off keeps its place in the order and its tooltip.
        aria-disabled={props.disabled}
        data-disabled={props.disabled || undefined}
        onClick={props.disabled ? undefined : props.onClick}
      >
        {props.children}
      </ActionIcon>
    </Tooltip>
  )
}

/** Shown once there is something to undo; the names of the steps are in the labels. */
function UndoButtons() {
  const { undo, redo } = useUndoLabels()
  if (undo === undefined && redo === undefined) return null
  return (
    <span className={classes.undo}>
      <IconButton
        label={undo === undefined ? t('undo.nothing') : t('undo.button', { label: undo })}
        disabled={undo === undefined}
        onClick={() => void undoAndTell()}
      >
        <IconArrowBackUp size={18} stroke={1.75} />
      </IconButton>
      <IconButton
        label={redo === undefined ? t('undo.nothingRedo') : t('undo.redoButton', { label: redo })}
        disabled={redo === undefined}
        onClick={() => void redoAndTell()}
      >
        <IconArrowForwardUp size={18} stroke={1.75} />
      </IconButton>
      <IconButton label={t('undoList.open')} onClick={() => setUndoListOpen(true)}>
        <IconHistory size={18} stroke={1.75} />
      </IconButton>
    </span>
  )
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const next = scheme === 'dark' ? 'light' : 'dark'
  return (
    <IconButton
      label={t(next === 'dark' ? 'app.theme.toDark' : 'app.theme.toLight')}
      onClick={() => setColorScheme(next)}
    >
      {scheme === 'dark' ? <IconSun size={18} stroke={1.75} /> : <IconMoon size={18} stroke={1.75} />}
    </IconButton>
  )
}

function HostPill() {
  const status = useHostStatus()
  return (
    <div role="status" className={classes.status}>
      {status === 'down' && (
        <span className={classes.pill}>
          <IconPlugConnectedX size={14} aria-hidden />
          <span className={classes.pillText}>{t('app.host.down')}</span>
        </span>
      )}
    </div>
  )
}

/** The sign, 22 px, decorative. */
function Mark(props: { size?: number }) {
  return (
    <svg width={props.size ?? 22} height={props.size ?? 22} viewBox="0 0 24 24" aria-hidden focusable="false">
      <ellipse cx="12" cy="18.5" rx="9" ry="3.5" fill="#3b5bdb" />
      <ellipse cx="12" cy="11.6" rx="6.2" ry="2.8" fill="#5c7cfa" />
      <ellipse cx="12" cy="6" rx="3.8" ry="2.2" fill="#91a7ff" />
    </svg>
  )
}
