import '@mantine/core/styles.css';
import './typeface.css';
import './main.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/queries.ts';
import { guardHistory } from './parts/form/leaving.ts';
import { App } from './shell/app.tsx';
import { Notices } from './shell/notices.tsx';
import { allowStyles } from './shell/style-nonce.ts';
import { cssVariables, theme } from './theme.ts';

guardHistory();
const nonce = allowStyles();
createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
    <Notices />
    <QueryClientProvider client={createQueryClient()}>
      <App />
    </QueryClientProvider>
  </MantineProvider>,
);
