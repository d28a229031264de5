import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './main.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/queries.ts';
import { App } from './shell/app.tsx';
import { allowStyles } from './shell/style-nonce.ts';
import { cssVariables, theme } from './theme.ts';

const nonce = allowStyles();
createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
    <Notifications position="bottom-right" />
    <QueryClientProvider client={createQueryClient()}>
      <App />
    </QueryClientProvider>
  </MantineProvider>,
);
