// Owns the menu of the tools that do not fit beside each other.
import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { useMenu } from '../../components/menu-options.ts'
import { t } from '../../lib/strings.ts'

/** An entry of the menu. */
export interface MoreEntry {
  key: string
  label: string
  icon: ReactNode
  isOn?: boolean
  onClick?: () => void
  href?: string
  /** In place of one entry: several, under the label. */
  items?: ReactNode
}

/** The menu; `isOn` marks its button when one of its tools is in force. */
export function MoreMenu(props: { isOn: boolean; entries: readonly MoreEntry[] }) {
  const button = useRef<HTMLButtonElement>(null)
  const menu = useMenu(button)
  return (
    <Menu position="bottom-end" {...menu.options}>
      <Menu.Target>
        <ActionIcon
          ref={button}
          size={30}
          variant={props.isOn ? 'light' : 'subtle'}
          {...(props.isOn ? {} : { color: 'gray' })}
          aria-label={t('tools.moreOf')}
          title={t('tools.moreOf')}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {props.entries.map((entry) => (
          <Entry key={entry.key} entry={entry} onRun={menu.after(() => entry.onClick?.())} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Entry({ entry, onRun }: { entry: MoreEntry; onRun: () => void }) {
  const { label, icon, isOn, items, href } = entry
  if (items !== undefined) {
    return (
      <div role="group" aria-label={label}>
        <Menu.Label>{label}</Menu.Label>
        {items}
      </div>
    )
  }
  if (href !== undefined) {
    return (
      <Menu.Item component="a" href={href} leftSection={icon}>
        {label}
      </Menu.Item>
    )
  }
  return (
    <Menu.Item leftSection={icon} fw={isOn ? 600 : undefined} onClick={onRun}>
      {label}
    </Menu.Item>
  )
}
