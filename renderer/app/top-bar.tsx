// Owns the bar at the top: name of the workspace, way into the palette, state of the host, scheme and help.
import { ActionIcon, Tooltip, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import {
  IconHelp,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMenu2,
  IconMoon,
  IconPlugConnectedX,
  IconSearch,
  IconSun,
} from '@tabler/icons-react'
import { ShortcutKeys } from '../components/shortcut-keys.tsx'
import { useHostStatus } from '../lib/host-status.ts'
import { t } from '../lib/strings.ts'
import { Mark } from './mark.tsx'
import classes from './top-bar.module.css'
import { setDrawerOpen, setPaletteOpen, setRailOpen, setShortcutsOpen, useUi } from './ui-state.ts'

/** The banner of every screen. */
export function TopBar(props: { narrow: boolean }) {
  const { railOpen, drawerOpen } = useUi()
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
      <a href="#/" className={classes.brand}>
        <Mark />
        <span className={classes.brandName}>{t('app.name')}</span>
      </a>
      <UnstyledButton className={classes.search} onClick={() => setPaletteOpen(true)} aria-keyshortcuts="Control+K">
        <IconSearch size={16} aria-hidden />
        <span className={classes.searchText}>{t('app.search')}</span>
        <span className={classes.searchKeys} aria-hidden>
          <ShortcutKeys shortcut="Mod+K" />
        </span>
      </UnstyledButton>
      <div className={classes.end}>
        <HostPill />
        <SchemeButton />
        <IconButton label={t('app.help')} onClick={() => setShortcutsOpen(true)}>
          <IconHelp size={18} stroke={1.75} />
        </IconButton>
      </div>
    </header>
  )
}

function IconButton(props: { label: string; onClick: () => void; expanded?: boolean; children: React.ReactNode }) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        c="var(--cairn-text-quiet)"
        aria-label={props.label}
        aria-expanded={props.expanded}
        onClick={props.onClick}
      >
        {props.children}
      </ActionIcon>
    </Tooltip>
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
