// SPDX-License-Identifier: Apache-2.0
// A small font of our own: the few characters that the picture's captions need, each 5 dots wide and 9 high.
#pragma once

struct GlyphSheet {
  const char* characters;
  const char* rows[9];  // six columns a character
};

constexpr GlyphSheet kGlyphSheets[] = {
    {"acdgilnoprtuGL",
     {
         "                #         #    ##                            #           ###  #    ",
         "                #               #                            #          #   # #    ",
         " ###   ###   ####  ####  ##     #   ####   ###  ####  # ##  ####  #   # #     #    ",
         "    # #     #   # #   #   #     #   #   # #   # #   # ##     #    #   # #  ## #    ",
         " #### #     #   # #   #   #     #   #   # #   # #   # #      #    #   # #   # #    ",
         "#   # #     #   # #   #   #     #   #   # #   # #   # #      #    #   # #   # #    ",
         " ####  ###   ####  ####  ###   ###  #   #  ###  ####  #       ##   ####  ###  #####",
         "                      #                         #                                  ",
         "                   ###                          #                                  ",
     }},
    {"0123456789-.",
     {
         " ###    #    ###   ###     #  #####  ###  #####  ###   ###             ",
         "#   #  ##   #   # #   #   ##  #     #         # #   # #   #            ",
         "#  ##   #       #     #  # #  ####  #        #  #   # #   #            ",
         "# # #   #      #    ##  #  #      # ####    #    ###   ####  ###       ",
         "##  #   #     #       # #####     # #   #   #   #   #     #            ",
         "#   #   #    #    #   #    #  #   # #   #   #   #   #     #        ##  ",
         " ###   ###  #####  ###     #   ###   ###    #    ###   ###         ##  ",
         "                                                                       ",
         "                                                                       ",
     }},
};
