// Owns showing values that are never answered again: to be copied now, forgotten when the dialog closes.
import { Button, Group, Text } from '@mantine/core'
import { CopyField } from './copy-field.tsx'
import classes from './parts.module.css'

/** What a dialog shows after something secret was made. */
export function OnceShown(props: {
  lead: string
  values: readonly { label: string; value: string }[]
  done: string
  onDone: () => void
}) {
  return (
    <div className={classes.stack}>
      <Text size="sm">{props.lead}</Text>
      {props.values.map(({ label, value }, index) => (
        <CopyField key={label} label={label} value={value} autoFocus={index === props.values.length - 1} />
      ))}
      <Group justify="flex-end">
        <Button onClick={props.onDone}>{props.done}</Button>
      </Group>
    </div>
  )
}
