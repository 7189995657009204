// Owns the inside of a short message: its sentence and at most one button.
import { Button, Group, Text } from '@mantine/core'

/** Sentence and optional button of a toast. */
export function ToastBody(props: { message: string; actionLabel?: string; onAction: () => void }) {
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap" align="center">
      <Text size="sm" c="var(--cairn-text)">
        {props.message}
      </Text>
      {props.actionLabel && (
        <Button size="compact-sm" variant="default" onClick={props.onAction} style={{ flexShrink: 0 }}>
          {props.actionLabel}
        </Button>
      )}
    </Group>
  )
}
