// Owns where a tool of the toolbar shows its panel: in a popover under its button, or, where the button is in the menu or
// the window is narrow, in a dialog.
import { Button, Popover } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import classes from './tool-panels.module.css'

/** The button of a tool with its popover; the focus goes back to the button. */
export function ToolPopover(props: {
  label: string
  /** What the panel is called. */
  title: string
  icon: ReactNode
  isOn: boolean
  opened: boolean
  labelClass: string | undefined
  onChange: (opened: boolean) => void
  /** Drawn while it is open. */
  children: ReactNode
}) {
  const { opened, onChange } = props
  return (
    <Popover
      opened={opened}
      onChange={onChange}
      position="bottom-end"
      offset={4}
      transitionProps={{ duration: 0 }}
      withinPortal={false}
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Button
          size="xs"
          variant={opened ? 'light' : 'subtle'}
          {...(props.isOn || opened ? {} : { color: 'gray' })}
          leftSection={props.icon}
          {...(props.labelClass === undefined ? {} : { classNames: { label: props.labelClass } })}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => onChange(!opened)}
        >
          {props.label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={props.title} className={classes.dropdown}>
        {opened && props.children}
      </Popover.Dropdown>
    </Popover>
  )
}

/** The same panel in a dialog. */
export function ToolDialog(props: { title: string; opened: boolean; onClose: () => void; children: ReactNode }) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title}>
      {props.opened && props.children}
    </Dialog>
  )
}
